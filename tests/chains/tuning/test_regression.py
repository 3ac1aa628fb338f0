"""Facts about fixed entities that tell one another, weighed together, against exact arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import r5
from r5.chains.graph.step_graph import StepGraph
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.tuning import regression as module
from r5.chains.tuning.held_out import remove_facts
from r5.chains.tuning.regression import regression, with_regression
from r5.reasoners.chains import ChainReasoner
from tests.helpers.chain_graphs import ENTITIES, FACTS, made_of
from tests.oracle import regression as oracle


@settings(deadline=None, max_examples=40)
@given(FACTS, st.integers(1, 4))
def test_weights_are_those_of_exact_arithmetic(facts: list[tuple[int, int, int]], most: int) -> None:
    graph = made_of(facts)
    steps = graph.steps
    has: list[set[int]] = [set() for _ in range(ENTITIES)]
    for row in range(steps.row_nodes.size):
        for edge in range(steps.row_offsets[row], steps.row_offsets[row + 1]):
            has[steps.row_nodes[row]].add(int(steps.row_steps[row]) * ENTITIES + int(steps.targets[edge]))
    usual = {one for one in set().union(*has) if sum(one in own for own in has) >= 3}
    has = [own & usual for own in has]
    found: dict[int, dict[int, float]] = {}
    for step, one in regression(graph, most).items():
        for (having, entity, answer, reversed_), weight in zip(one.rules.tolist(), one.weights.tolist(), strict=True):
            assert reversed_ == 0
            found.setdefault(step * ENTITIES + answer, {})[having * ENTITIES + entity] = weight
    for wanted in usual:
        exact = oracle.regression(has, wanted, most, 30)
        assert found.get(wanted, {}) == pytest.approx({one: float(weight) for one, weight in exact.items()}, rel=1e-9)
    assert found.keys() <= usual


def tastes() -> list[tuple[str, str, str]]:
    """Who likes tea, or tea and cake, visits the house, who likes wine the inn; the cities say nothing."""
    facts = []
    for n in range(240):
        likes = (("tea",), ("wine",), ("tea", "cake"))[n % 3]
        facts += [(f"p{n}", "likes", one) for one in likes] + [(f"p{n}", "lives_in", f"city {n * 7 % 5}")]
        facts.append((f"p{n}", "visits", "the house" if "tea" in likes else "the inn"))
    return facts


def fitted() -> tuple[QueryScorer, np.ndarray]:
    """A model that has learned nothing, and facts of its graph that it does not have."""
    model = ChainReasoner(seed=0, rules=0, constants=0, epochs=1, learning_rate=1e-9, regressors=0)
    model.fit(r5.Graph.from_triples(tastes()))
    graph = model._answerer.graph
    held = graph.facts[graph.facts[:, 1] == graph.relations.index("visits")][::4]
    return QueryScorer(remove_facts(graph, held), model.model_), held


def test_it_is_as_strong_as_facts_that_were_not_learned_from_say() -> None:
    query_scorer, held = fitted()
    model = with_regression(query_scorer, held, np.random.default_rng(0), 50)
    graph = query_scorer.graph
    visits = graph.relations.index("visits")
    before, after = (
        one.rank_answers(visits, False, held[:, 0], held[:, 2], one.known)[0].mean()
        for one in (query_scorer, QueryScorer(graph, model))
    )
    assert after < before / 2
    # A rule is read from its end for the other direction, with the same weight.
    forward, back = (model.targets[graph.step(visits, way)] for way in (False, True))
    assert (forward.constants[:, :3] == back.constants[:, :3]).all()
    assert (forward.constants[:, 3] != back.constants[:, 3]).all()
    assert (forward.weights.rules[len(forward.bodies) :] == back.weights.rules[len(back.bodies) :]).all()


def test_without_regressors_or_held_out_facts_the_model_stays() -> None:
    query_scorer, held = fitted()
    assert with_regression(query_scorer, held, np.random.default_rng(0), 0) is query_scorer.model
    assert with_regression(query_scorer, held[:0], np.random.default_rng(0), 50) is query_scorer.model


def test_many_properties_are_cut_to_what_can_be_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = StepGraph.of(r5.Graph.from_triples(tastes()), ("likes", "lives_in", "visits"))
    every = sum(len(one.weights) for one in regression(graph, 50).values())
    monkeypatch.setattr(module, "_WORK", 1_000)
    assert 0 < sum(len(one.weights) for one in regression(graph, 50).values()) < every


def test_answers_say_which_rules_they_rest_on() -> None:
    known = [fact for fact in tastes() if fact != ("p228", "visits", "the house")]
    model = ChainReasoner(seed=0, rules=0, constants=0).fit(r5.Graph.from_triples(known))
    (answer,) = model.complete(head="p228", relation="visits", top=1, explain=True)
    assert answer.entity == "the house"
    assert abs(sum(reason.weight for reason in answer.reasons) - answer.score) < 1e-6
