"""What a model says about facts that it has not learned from."""

from __future__ import annotations

import numpy as np
import pytest

import r5
from r5.chains.calibration.held_out_scores import held_out_queries, score_held_out
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.step_graph import IdArray, distinct
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.tuning.held_out import hold_out, remove_facts
from r5.reasoners.chains import ChainReasoner


@pytest.fixture(scope="module")
def asked() -> tuple[QueryScorer, IdArray]:
    model = ChainReasoner(seed=0, epochs=2).fit(r5.load("library", members=60, books=60).train)
    graph = model._answerer.graph
    held = hold_out(graph, np.random.default_rng(1))
    return QueryScorer(remove_facts(graph, held), model.model_), held


def test_candidates_are_all_that_are_not_known(asked: tuple[QueryScorer, IdArray]) -> None:
    query_scorer, held = asked
    scores_ = score_held_out(query_scorer, held, np.random.default_rng(2), 20)
    assert scores_ is not None
    every = KnownAnswers(distinct(np.concatenate([query_scorer.graph.facts, held])), len(query_scorer.graph.relations))
    queries = held_out_queries(query_scorer, held, np.random.default_rng(2), 20)
    assert scores_.starts.size == len(queries) + 1
    for row, ((source, relation, backwards), answer) in enumerate(queries):
        here = slice(scores_.starts[row], scores_.starts[row + 1])
        known, there = (one.answers(np.array([source]), relation, backwards)[0] for one in (query_scorer.known, every))
        scores = query_scorer.scores(query_scorer.model.targets[query_scorer.graph.step(relation, backwards)], source)
        left = np.delete(scores, known)
        assert scores_.counts[here].sum() == left.size
        assert scores_.scores[here][0] == left.max()
        assert (np.diff(scores_.scores[here][scores_.likely[here]]) <= 0).all()
        assert (scores_.scores[here][scores_.answer[here]] == scores[answer]).all()
        others = set(there.tolist()) - set(known.tolist()) - {answer}
        assert scores_.taken[here].sum() <= len(others)
        assert (scores_.others[here] == len(others) - scores_.taken[here]).all()
        assert (scores_.known[here] == known.size).all()


def test_shares_sum_to_one_and_the_first_that_stays_is_found(asked: tuple[QueryScorer, IdArray]) -> None:
    scores_ = score_held_out(*asked, np.random.default_rng(2), 20)
    assert scores_ is not None
    for temperature in (0.3, 1.0, 4.0):
        total = np.bincount(scores_.owner, scores_.shares(temperature) * scores_.counts)
        assert total == pytest.approx(np.ones(total.size))
    stays = np.ones(scores_.owner.size, dtype=bool)
    assert scores_.first(stays).tolist() == scores_.starts[:-1].tolist()
    stays[scores_.starts[:-1]] = False
    assert scores_.first(stays).tolist() == (scores_.starts[:-1] + 1).tolist()


def test_the_same_is_said_on_any_number_of_threads(asked: tuple[QueryScorer, IdArray]) -> None:
    one, three = (score_held_out(*asked, np.random.default_rng(2), 40, threads) for threads in (1, 3))
    assert one is not None
    assert three is not None
    for name, column in vars(one).items():
        assert np.array_equal(column, getattr(three, name)), name
