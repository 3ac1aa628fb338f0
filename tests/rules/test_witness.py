"""Facts and exceptions of rules, against all pairs that a rule connects."""

from __future__ import annotations

from hypothesis import given, settings

from r5.graph import Graph
from r5.rules import witness as witness_module
from r5.rules.ruleset import Rule
from r5.rules.witness import witnesses
from tests.oracle import rules as oracle
from tests.rules.test_count import RULES, graphs

FAMILY = Graph.from_triples(
    [("Ann", "mother", "Eve"), ("Tom", "mother", "Eve"), ("Eve", "sister", "Zoe"), ("Ann", "aunt", "Zoe")]
)


def test_one_fact_and_one_exception() -> None:
    found = witnesses(Rule("aunt", ("mother", "sister")), FAMILY)
    assert [str(w) for w in found.facts] == ["Ann -aunt-> Zoe  because  Ann -mother-> Eve, Eve -sister-> Zoe"]
    assert found.exceptions[0].to_json() == {
        "head": ["Tom", "aunt", "Zoe"],
        "because": [["Tom", "mother", "Eve"], ["Eve", "sister", "Zoe"]],
    }


def test_rules_about_one_entity_and_inverses() -> None:
    found = witnesses(Rule("aunt", ("mother",), target="Zoe", ending="Eve"), FAMILY)
    assert [w.head for w in found.facts] == [("Ann", "aunt", "Zoe")]
    assert [w.head for w in found.exceptions] == [("Tom", "aunt", "Zoe")]
    backwards = witnesses(Rule("aunt^-1", ("sister^-1", "mother^-1")), FAMILY)
    assert backwards.facts[0].head == ("Ann", "aunt", "Zoe")
    assert backwards.facts[0].facts == (("Eve", "sister", "Zoe"), ("Ann", "mother", "Eve"))
    assert str(witnesses(Rule("aunt", (), target="Zoe"), FAMILY).facts[0]).endswith("because  it always holds")


def test_the_search_is_bounded() -> None:
    triples = [(f"a{i}", "likes", f"b{k}") for i in range(40) for k in range(40)]
    graph = Graph.from_triples([*triples, ("a39", "knows", "b39")])
    rule = Rule("knows", ("likes", "likes^-1", "likes"))
    assert witnesses(rule, graph).facts
    before = witness_module._WORK
    try:
        witness_module._WORK = 100
        assert not witnesses(rule, graph).facts
    finally:
        witness_module._WORK = before


@settings(max_examples=60, deadline=None)
@given(graph=graphs(6, 15), rules=RULES)
def test_all_of_them_are_as_many_as_were_counted(graph: Graph, rules: list[Rule]) -> None:
    for rule in rules:
        if not rule.relations and rule.target is None:
            continue
        pairs, support, _, _ = oracle.count(rule, graph, loops=False)
        found = witnesses(rule, graph, count=1000)
        assert (len(found.facts), len(found.exceptions)) == (support, pairs - support)
