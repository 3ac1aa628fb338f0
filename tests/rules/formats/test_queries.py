"""Rules as queries, run by real engines: each derives what `RuleSet.evaluate` counts on the same graph."""

from __future__ import annotations

import os
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

import r5
from r5.graph import Graph
from r5.rules.formats.text import direct_atom
from r5.rules.ruleset import RuleSet
from tests.helpers.rule_cases import cases, stored
from tests.helpers.rule_engines import ENGINES, Engine

UMLS = Path(os.environ.get("R5_DATA", "../shared/data")) / "kg" / "umls"
UMLS_RULES = Path(__file__).with_name("umls.json")
"""The 200 best rules of a model of the engine chains: r5 train umls --seed 0, r5 rules model --top 200."""


def check(kind: type[Engine], graph: Graph, rules: RuleSet) -> None:
    """Each rule derives as many facts as it has predictions, of which the graph has as many as its support."""
    facts = stored(graph)
    counted = rules.evaluate(graph)
    names = {direct_atom(name, "", "")[0] for rule in rules for name in (rule.head, *rule.relations)}
    for rule, rows in zip(counted, kind(facts, names).derive(rules.rules), strict=True):
        derived = set(rows)
        assert len(derived) == len(rows), rule.text()
        assert len(rows) == rule.predictions, rule.text()
        assert len(derived.intersection(facts)) == rule.support, rule.text()
        assert all(head != tail for head, _, tail in rows), rule.text()


@cache
def library() -> tuple[Graph, RuleSet]:
    data = r5.load("library", members=20, books=20)
    small = {"queries": 20, "epochs": 1, "rules": 60, "max_length": 3}
    model = r5.ChainReasoner(seed=0, **small).fit(data.train)
    return model.graph_, RuleSet.of([*model.rules_, *_rules_with_constants(model.graph_)])


def _rules_with_constants(graph: Graph) -> list[r5.Rule]:
    """Return rules with constants: a body with each second fact of an entity, and none."""
    pairs = [(one, other) for one, other in pairwise(sorted(graph.triples())) if one[0] == other[0]]
    rules = [r5.Rule(name, (other,), target=tail, ending=end) for (_, name, tail), (_, other, end) in pairs[::4]]
    return [*rules, *(r5.Rule(name, (), target=tail) for (_, name, tail), _ in pairs[::16])]


@cache
def umls() -> Graph:
    return r5.load(UMLS).graph


@pytest.mark.parametrize("kind", ENGINES)
def test_rules_of_a_library_model_derive_what_is_counted(kind: type[Engine]) -> None:
    graph, rules = library()
    assert len(rules) > 500
    assert any(rule.ending is not None for rule in rules) and any(not rule.body for rule in rules)
    check(kind, graph, rules)


@pytest.mark.skipif(not UMLS.exists(), reason="UMLS is not there (R5_DATA)")
@pytest.mark.parametrize("kind", ENGINES)
def test_the_best_rules_of_umls_derive_what_is_counted(kind: type[Engine]) -> None:
    rules = r5.read_rules(UMLS_RULES)
    assert len(rules) == 200
    check(kind, umls(), rules)


@pytest.mark.parametrize("kind", ENGINES)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases())
def test_any_names_derive_what_is_counted(kind: type[Engine], case: tuple[Graph, RuleSet]) -> None:
    check(kind, *case)
