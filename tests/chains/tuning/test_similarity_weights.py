"""Weights of the evidence of similar entities, chosen on held-out facts."""

from __future__ import annotations

import numpy as np
import pytest

import r5
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.similarity.evidence import SimilarityWeights
from r5.chains.tuning.similarity_weights import fit_similarity_weights, select_by_standard_error
from r5.reasoners.chains import ChainReasoner


def tastes() -> list[tuple[str, str, str]]:
    """Return facts of people of four tastes, who each like six of the eight films of their taste; no chain says so."""
    rng = np.random.default_rng(0)
    return [
        (f"p{person}", "likes", f"film{8 * (person % 4) + int(film)}")
        for person in range(60)
        for film in rng.choice(8, 6, replace=False)
    ]


@pytest.fixture(scope="module")
def scorer() -> QueryScorer:
    model = ChainReasoner(seed=0, epochs=1, rules=1, max_length=1, similarity=False)
    return model.fit(r5.Graph.from_triples(tastes()))._scorer


def held_out(scorer: QueryScorer, count: int) -> tuple[QueryScorer, np.ndarray]:
    """Return the scorer on the graph without some facts, and these."""
    facts = scorer.graph.facts
    held = facts[np.sort(np.random.default_rng(1).choice(len(facts), count, replace=False))]
    return QueryScorer(scorer.graph.without(held), scorer.model), held


def test_similar_entities_that_find_the_answers_are_used(scorer: QueryScorer) -> None:
    left, held = held_out(scorer, 60)
    weights = fit_similarity_weights(left, held, np.random.default_rng(0))
    assert weights.are_used
    assert weights == fit_similarity_weights(left, held, np.random.default_rng(0), threads=2)
    right = 0
    for head, relation, tail in held.tolist():
        target = left.model.targets[relation]
        scores = left.with_similarity(weights).rule_scores(target, head).copy()
        scores[left.known.of(head, relation, False)] = -np.inf
        right += _taste(left, int(scores.argmax())) == _taste(left, tail)
    assert right > 0.9 * len(held)


def _taste(scorer: QueryScorer, film: int) -> int:
    """Return the taste that a film belongs to."""
    return int(scorer.graph.entities[film].removeprefix("film")) // 8


@pytest.mark.parametrize(("facts", "are_used"), [(0, False), (3, False), (4, True)])
def test_fewer_than_eight_queries_choose_no_weights(scorer: QueryScorer, facts: int, are_used: bool) -> None:
    left, held = held_out(scorer, facts)
    assert fit_similarity_weights(left, held, np.random.default_rng(0)).are_used == are_used


def test_without_the_setting_there_are_no_weights() -> None:
    graph = r5.Graph.from_triples(tastes())
    without, used = (ChainReasoner(seed=0, max_length=1, similarity=one).fit(graph) for one in (False, True))
    assert without.model_.similarity == SimilarityWeights(0.0, 0.0)
    assert used.model_.similarity.are_used


def test_trials_within_one_standard_error_of_the_best_yield_to_the_usual_one() -> None:
    usual = np.full(4, 0.5)
    noise, gain = np.array([1.0, 0.1, 1.0, 0.1]), np.array([0.7, 0.6, 0.7, 0.6])
    near = gain + np.array([0.01, -0.02, 0.01, -0.02])
    distances = [2, 0, 1]
    assert select_by_standard_error(np.stack([noise, usual, noise - 0.01], axis=1), distances) == 1
    assert select_by_standard_error(np.stack([gain, usual, gain - 0.05], axis=1), distances) == 0
    assert select_by_standard_error(np.stack([gain, usual, near], axis=1), distances) == 2
