"""Scores of the candidates of held-out queries."""

from __future__ import annotations

import numpy as np
import pytest

import r5
from r5.chains.calibration.held_out_scores import score_held_out
from r5.chains.graph.step_graph import IdArray
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.tuning.held_out import held_out_queries, hold_out
from r5.reasoners.chains import ChainReasoner


@pytest.fixture(scope="module")
def scored() -> tuple[QueryScorer, IdArray]:
    model = ChainReasoner(seed=0, epochs=2).fit(r5.load("library", members=60, books=60).train)
    graph = model._scorer.graph
    held = hold_out(graph, np.random.default_rng(1))
    return QueryScorer(graph.without(held), model.model_), held


def test_candidates_are_all_entities_but_known_answers(scored: tuple[QueryScorer, IdArray]) -> None:
    query_scorer, held = scored
    held_out = score_held_out(query_scorer, held, np.random.default_rng(2), 20)
    assert held_out is not None
    queries = held_out_queries(query_scorer, held, np.random.default_rng(2), 20)
    assert held_out.starts.size == len(queries) + 1
    for row, (target, source, answer, known, every) in enumerate(queries):
        here = slice(held_out.starts[row], held_out.starts[row + 1])
        scores = query_scorer.scores(target, source)
        left = np.delete(scores, known)
        assert held_out.counts[here].sum() == left.size
        assert held_out.scores[here][0] == left.max()
        assert (np.diff(held_out.scores[here][held_out.is_single[here]]) <= 0).all()
        assert (held_out.scores[here][held_out.is_answer[here]] == scores[answer]).all()
        others = set(every.tolist()) - set(known.tolist()) - {answer}
        assert held_out.is_held_out[here].sum() <= len(others)
        assert (held_out.held_out_answers[here] == len(others) - held_out.is_held_out[here]).all()
        assert (held_out.known_answers[here] == known.size).all()


def test_probabilities_sum_to_one_and_the_best_eligible_candidate_is_found(scored: tuple[QueryScorer, IdArray]) -> None:
    held_out = score_held_out(*scored, np.random.default_rng(2), 20)
    assert held_out is not None
    for temperature in (0.3, 1.0, 4.0):
        total = np.bincount(held_out.query, held_out.probabilities(temperature) * held_out.counts)
        assert total == pytest.approx(np.ones(total.size))
    eligible = np.ones(held_out.query.size, dtype=bool)
    assert held_out.best(eligible).tolist() == held_out.starts[:-1].tolist()
    eligible[held_out.starts[:-1]] = False
    assert held_out.best(eligible).tolist() == (held_out.starts[:-1] + 1).tolist()


def test_scores_do_not_depend_on_the_number_of_threads(scored: tuple[QueryScorer, IdArray]) -> None:
    single, several = (score_held_out(*scored, np.random.default_rng(2), 40, threads) for threads in (1, 3))
    assert single is not None
    assert several is not None
    for name, column in vars(single).items():
        assert np.array_equal(column, getattr(several, name)), name
