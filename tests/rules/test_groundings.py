"""Groundings of rules, with and without a known head."""

from __future__ import annotations

from hypothesis import given, settings

from r5.graph import Graph
from r5.rules.groundings import find_groundings
from r5.rules.ruleset import Rule
from tests.oracle import rules as oracle
from tests.rules.test_support import RULES, graphs

FAMILY = Graph.from_triples(
    [("Ann", "mother", "Eve"), ("Tom", "mother", "Eve"), ("Eve", "sister", "Zoe"), ("Ann", "aunt", "Zoe")]
)


def test_a_grounding_with_and_one_without_the_head() -> None:
    found = find_groundings(Rule("aunt", ("mother", "sister")), FAMILY)
    assert [str(one) for one in found.facts] == ["Ann -aunt-> Zoe  because  Ann -mother-> Eve, Eve -sister-> Zoe"]
    assert found.exceptions[0].to_json() == {
        "head": ["Tom", "aunt", "Zoe"],
        "because": [["Tom", "mother", "Eve"], ["Eve", "sister", "Zoe"]],
    }


def test_rules_with_constants_and_inverse_relations() -> None:
    found = find_groundings(Rule("aunt", ("mother",), target="Zoe", ending="Eve"), FAMILY)
    assert [one.head for one in found.facts] == [("Ann", "aunt", "Zoe")]
    assert [one.head for one in found.exceptions] == [("Tom", "aunt", "Zoe")]
    backwards = find_groundings(Rule("aunt^-1", ("sister^-1", "mother^-1")), FAMILY)
    assert backwards.facts[0].head == ("Ann", "aunt", "Zoe")
    assert backwards.facts[0].facts == (("Eve", "sister", "Zoe"), ("Ann", "mother", "Eve"))
    assert str(find_groundings(Rule("aunt", (), target="Zoe"), FAMILY).facts[0]).endswith("because  it always holds")


def test_max_steps_bounds_the_search() -> None:
    triples = [(f"a{i}", "likes", f"b{k}") for i in range(40) for k in range(40)]
    graph = Graph.from_triples([*triples, ("a39", "knows", "b39")])
    rule = Rule("knows", ("likes", "likes^-1", "likes"))
    assert find_groundings(rule, graph).facts
    assert not find_groundings(rule, graph, max_steps=100).facts


@settings(max_examples=60, deadline=None)
@given(graph=graphs(6, 15), rules=RULES)
def test_there_is_one_grounding_per_counted_pair(graph: Graph, rules: list[Rule]) -> None:
    for rule in rules:
        if not rule.relations and rule.target is None:
            continue
        pairs, support, _, _ = oracle.count(rule, graph, loops=False)
        found = find_groundings(rule, graph, count=1000)
        assert (len(found.facts), len(found.exceptions)) == (support, pairs - support)
