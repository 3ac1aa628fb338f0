"""What a model says about facts that it has not learned from."""

from __future__ import annotations

import numpy as np
import pytest

import r5
from r5.chains.calibration.held_out_scores import look, some_questions
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.step_graph import IdArray, distinct
from r5.chains.inference.scorer import Answerer
from r5.chains.tuning.held_out import set_aside, without
from r5.reasoners.chains import ChainReasoner


@pytest.fixture(scope="module")
def asked() -> tuple[Answerer, IdArray]:
    model = ChainReasoner(seed=0, epochs=2).fit(r5.load("library", members=60, books=60).train)
    graph = model._answerer.graph
    held = set_aside(graph, np.random.default_rng(1))
    return Answerer(without(graph, held), model.model_), held


def test_candidates_are_all_that_are_not_known(asked: tuple[Answerer, IdArray]) -> None:
    answerer, held = asked
    looks = look(answerer, held, np.random.default_rng(2), 20)
    assert looks is not None
    every = KnownAnswers(distinct(np.concatenate([answerer.graph.facts, held])), len(answerer.graph.relations))
    questions = some_questions(answerer, held, np.random.default_rng(2), 20)
    assert looks.starts.size == len(questions) + 1
    for row, ((source, relation, backwards), answer) in enumerate(questions):
        here = slice(looks.starts[row], looks.starts[row + 1])
        known, there = (one.answers(np.array([source]), relation, backwards)[0] for one in (answerer.known, every))
        scores = answerer.scores(answerer.model.targets[answerer.graph.step(relation, backwards)], source)
        left = np.delete(scores, known)
        assert looks.counts[here].sum() == left.size
        assert looks.scores[here][0] == left.max()
        assert (np.diff(looks.scores[here][looks.likely[here]]) <= 0).all()
        assert (looks.scores[here][looks.answer[here]] == scores[answer]).all()
        others = set(there.tolist()) - set(known.tolist()) - {answer}
        assert looks.taken[here].sum() <= len(others)
        assert (looks.others[here] == len(others) - looks.taken[here]).all()
        assert (looks.known[here] == known.size).all()


def test_shares_sum_to_one_and_the_first_that_stays_is_found(asked: tuple[Answerer, IdArray]) -> None:
    looks = look(*asked, np.random.default_rng(2), 20)
    assert looks is not None
    for temperature in (0.3, 1.0, 4.0):
        total = np.bincount(looks.owner, looks.shares(temperature) * looks.counts)
        assert total == pytest.approx(np.ones(total.size))
    stays = np.ones(looks.owner.size, dtype=bool)
    assert looks.first(stays).tolist() == looks.starts[:-1].tolist()
    stays[looks.starts[:-1]] = False
    assert looks.first(stays).tolist() == (looks.starts[:-1] + 1).tolist()


def test_the_same_is_said_on_any_number_of_threads(asked: tuple[Answerer, IdArray]) -> None:
    one, three = (look(*asked, np.random.default_rng(2), 40, threads) for threads in (1, 3))
    assert one is not None
    assert three is not None
    for name, column in vars(one).items():
        assert np.array_equal(column, getattr(three, name)), name
