"""Regression of facts about fixed entities on one another, against exact arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import r5
from r5.chains.graph.step_graph import StepGraph
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.tuning.held_out import remove_facts
from r5.chains.tuning.regression import add_regression, fit_regression
from r5.reasoners.chains import ChainReasoner
from tests.helpers.chain_graphs import ENTITIES, FACTS, made_of
from tests.oracle import regression as oracle


@settings(deadline=None, max_examples=40)
@given(FACTS, st.integers(1, 4))
def test_weights_are_those_of_exact_arithmetic(facts: list[tuple[int, int, int]], limit: int) -> None:
    graph = made_of(facts)
    steps = graph.steps
    has: list[set[int]] = [set() for _ in range(ENTITIES)]
    for row in range(steps.row_nodes.size):
        for edge in range(steps.row_offsets[row], steps.row_offsets[row + 1]):
            has[steps.row_nodes[row]].add(int(steps.row_steps[row]) * ENTITIES + int(steps.targets[edge]))
    frequent = {key for key in set().union(*has) if sum(key in own for own in has) >= 3}
    has = [own & frequent for own in has]
    found: dict[int, dict[int, float]] = {}
    for step, part in fit_regression(graph, limit).items():
        for (having, entity, answer, reversed_), weight in zip(part.rules.tolist(), part.weights.tolist(), strict=True):
            assert reversed_ == 0
            found.setdefault(step * ENTITIES + answer, {})[having * ENTITIES + entity] = weight
    for response in frequent:
        exact = oracle.regression(has, response, limit, 30)
        assert found.get(response, {}) == pytest.approx({key: float(weight) for key, weight in exact.items()}, rel=1e-9)
    assert found.keys() <= frequent


def tastes() -> list[tuple[str, str, str]]:
    """People who like tea visit the house, people who like wine the inn; cities are irrelevant."""
    facts = []
    for n in range(240):
        likes = (("tea",), ("wine",), ("tea", "cake"))[n % 3]
        facts += [(f"p{n}", "likes", taste) for taste in likes] + [(f"p{n}", "lives_in", f"city {n * 7 % 5}")]
        facts.append((f"p{n}", "visits", "the house" if "tea" in likes else "the inn"))
    return facts


def fitted() -> tuple[QueryScorer, np.ndarray]:
    """Return an untrained model, and held-out facts."""
    model = ChainReasoner(seed=0, rules=0, constants=0, epochs=1, learning_rate=1e-9, regressors=0)
    model.fit(r5.Graph.from_triples(tastes()))
    graph = model._scorer.graph
    held = graph.facts[graph.facts[:, 1] == graph.relations.index("visits")][::4]
    return QueryScorer(remove_facts(graph, held), model.model_), held


def test_regression_with_a_fitted_strength_improves_held_out_ranks() -> None:
    query_scorer, held = fitted()
    model = add_regression(query_scorer, held, np.random.default_rng(0), 50)
    graph = query_scorer.graph
    visits = graph.relations.index("visits")
    before, after = (
        scorer.rank_answers(visits, False, held[:, 0], held[:, 2], scorer.known)[0].mean()
        for scorer in (query_scorer, QueryScorer(graph, model))
    )
    assert after < before / 2
    # The inverse step has the rules reversed, with the same weights.
    forward, back = (model.targets[graph.step(visits, way)] for way in (False, True))
    assert (forward.constants[:, :3] == back.constants[:, :3]).all()
    assert (forward.constants[:, 3] != back.constants[:, 3]).all()
    assert (forward.weights.rules[len(forward.bodies) :] == back.weights.rules[len(back.bodies) :]).all()


def test_without_regressors_or_held_out_facts_the_model_stays() -> None:
    query_scorer, held = fitted()
    assert add_regression(query_scorer, held, np.random.default_rng(0), 0) is query_scorer.model
    assert add_regression(query_scorer, held[:0], np.random.default_rng(0), 50) is query_scorer.model


def test_number_of_properties_is_limited_by_the_pairs_to_count() -> None:
    graph = StepGraph.of(r5.Graph.from_triples(tastes()), ("likes", "lives_in", "visits"))
    full, limited = (
        sum(len(part.weights) for part in found.values())
        for found in (fit_regression(graph, 50), fit_regression(graph, 50, max_pairs=1_000))
    )
    assert 0 < limited < full


def test_answer_has_reasons_that_sum_to_its_score() -> None:
    known = [fact for fact in tastes() if fact != ("p228", "visits", "the house")]
    model = ChainReasoner(seed=0, rules=0, constants=0).fit(r5.Graph.from_triples(known))
    (answer,) = model.complete(head="p228", relation="visits", top=1, explain=True)
    assert answer.entity == "the house"
    assert abs(sum(reason.weight for reason in answer.reasons) - answer.score) < 1e-6
