"""Reasons over symmetric relations: they name facts of the graph, in its direction, and never the fact itself."""

from __future__ import annotations

import pytest

from r5.graph import Graph
from r5.reasoners.chains import ChainReasoner

PAIRS = [(f"a{n}", f"b{n}") for n in range(20)]
FACTS = [(a, "spouse", b) for a, b in PAIRS] + [(b, "spouse", a) for a, b in PAIRS[1:]]
FACTS += [(one, "lives_in", f"town{n % 3}") for n, pair in enumerate(PAIRS) for one in pair]
GRAPH = Graph.from_triples(FACTS)


@pytest.fixture(scope="module")
def model() -> ChainReasoner:
    return ChainReasoner(seed=0, max_length=2).fit(GRAPH)


def test_a_symmetric_relation_has_a_rule_about_the_reversed_fact(model: ChainReasoner) -> None:
    (rule,) = [rule for rule in model.rules_ if (rule.head, rule.body) == ("spouse", ("spouse^-1",))]
    assert (rule.support, rule.predictions) == (38, 39)
    assert not any(rule.body == (rule.head,) for rule in model.rules_)


def test_the_missing_fact_of_a_pair_is_derived_from_the_reversed_one(model: ChainReasoner) -> None:
    answer = model.ask(GRAPH, "b0", "a0")
    assert str(answer.derivation) == "b0 -spouse-> a0  because  a0 -spouse-> b0"


@pytest.mark.parametrize(("head", "tail"), [("b0", "a0"), ("a1", "b1"), ("b1", "a1")])
@pytest.mark.parametrize("backwards", [False, True])
def test_reasons_are_other_facts_of_the_graph(model: ChainReasoner, head: str, tail: str, backwards: bool) -> None:
    if backwards:
        found = model.complete(tail=tail, relation="spouse", known=True, explain=True)
        (one,) = [one for one in found if one.head == head]
    else:
        one = model.score_fact(head, "spouse", tail, explain=True)
    stored = {tuple(fact.stored().to_json()) for reason in one.reasons for fact in reason.facts}
    assert (tail, "spouse", head) in stored
    assert stored <= set(FACTS) - {(head, "spouse", tail)}
    rules = {(reason.rule.head, reason.rule.body) for reason in one.reasons if reason.kind == "rule"}
    assert (("spouse^-1", ("spouse",)) if backwards else ("spouse", ("spouse^-1",))) in rules
