"""Facts that rules derive: those that evaluation counts, and at a fixpoint those of a Datalog engine."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from r5.errors import R5Error
from r5.graph import Graph
from r5.rules.materialisation import derive_facts
from r5.rules.ruleset import Rule, RuleSet
from tests.helpers.rule_cases import cases, stored

ANCESTORS = RuleSet.of([Rule("ancestor", ("mother",), 1.0), Rule("ancestor", ("mother", "ancestor"), 0.9)])
LINE = Graph.from_triples([(f"n{n}", "mother", f"n{n + 1}") for n in range(5)])


def triples(rules: RuleSet, graph: Graph, fixpoint: bool = False, block_size: int = 100) -> list[tuple[str, str, str]]:
    found = derive_facts(rules.rules, graph, fixpoint=fixpoint, block_size=block_size)
    return [fact[:3] for batch in found for fact in batch.rows()]


@given(cases())
@settings(max_examples=30, deadline=None)
def test_one_rule_derives_its_predictions_without_its_support(case: tuple[Graph, RuleSet]) -> None:
    graph, rules = case
    for rule in rules.evaluate(graph):
        assert rule.predictions is not None and rule.support is not None
        assert len(triples(RuleSet.of([rule]), graph)) == rule.predictions - rule.support


@given(cases())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_several_rules_derive_what_a_datalog_engine_derives(case: tuple[Graph, RuleSet]) -> None:
    pytest.importorskip("clingo", reason="clingo is not installed")
    from tests.helpers.rule_engines import Clingo

    graph, rules = case
    known = set(stored(graph))
    for fixpoint in (False, True):
        rows = Clingo(known, ()).derive(rules.rules, fixpoint=fixpoint)
        found = triples(rules, graph, fixpoint)
        assert len(found) == len(set(found))
        assert set(found) == {row for of_rule in rows for row in of_rule} - known


@given(cases())
@settings(max_examples=30, deadline=None)
def test_blocks_change_nothing(case: tuple[Graph, RuleSet]) -> None:
    graph, rules = case
    assert triples(rules, graph, True, block_size=1) == triples(rules, graph, True, block_size=1 << 20)


def test_facts_have_their_strongest_rule_and_their_round() -> None:
    rules = RuleSet.of([Rule("ancestor", ("mother", "mother"), 0.3), *ANCESTORS]).sorted("confidence")
    facts = list(rules.derive(LINE, fixpoint=True))
    assert len(facts) == 15
    for head, relation, tail, confidence, rule, number in facts:
        distance = int(tail[1:]) - int(head[1:])
        assert (relation, number) == ("ancestor", {1: 1, 2: 1, 3: 2, 4: 3, 5: 4}[distance])
        assert confidence == rule.probability == {1: 1.0, 2: 0.3}.get(distance, 0.9)


def test_derived_facts_are_used_at_a_fixpoint_only() -> None:
    assert len(list(ANCESTORS.derive(LINE))) == 5
    assert len(list(ANCESTORS.derive(LINE, fixpoint=True))) == 15


def test_pairs_of_an_entity_with_itself_are_an_option() -> None:
    rules = RuleSet.of([Rule("like", ("mother", "mother^-1"), 1.0)])
    assert list(rules.derive(LINE)) == []
    assert len(list(rules.derive(LINE, loops=True))) == 5


def test_constants_that_the_graph_lacks_are_derived_and_not_looked_up() -> None:
    rules = [Rule("speaks", ("mother",), target="English"), Rule("happy", (), target="yes")]
    found = triples(RuleSet.of([*rules, Rule("x", ("mother",), target="y", ending="nobody")]), LINE)
    assert found == [
        *((f"n{n}", "speaks", "English") for n in range(5)),
        *((f"n{n}", "happy", "yes") for n in range(6)),
    ]


def test_alternative_heads_are_refused() -> None:
    with pytest.raises(R5Error, match="alternative heads derive no facts"):
        list(RuleSet.of([Rule("DC", ("EC", "TPPI"), possibility=1.0)]).derive(LINE))
