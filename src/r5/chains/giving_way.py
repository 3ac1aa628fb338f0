"""Giving way: how strongly the scores of rivals count, by facts that the model has not learned from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from r5._util.order import first_largest
from r5.chains.answering import Answerer, Filter
from r5.chains.calibrating import ASKED, some_questions
from r5.chains.rivals import Rivals
from r5.chains.steps import IdArray, distinct

__all__ = ["measure_force"]

_FORCES = np.array([0.0, 0.25, 0.5, 1.0, 2.0, 4.0])
_FIRST = 150
"""Where no force gains anything in so many questions, no more are asked: rivals take time."""


def measure_force(answerer: Answerer, held: IdArray, rng: np.random.Generator) -> Rivals:
    """The rivals of a model with the force that brings right answers to the front; none where no force surely does.

    A force must gain more than chance may have given it: the mean gain less its standard error counts.
    """
    graph, rivals = answerer.graph, answerer.model.rivals
    asked = some_questions(answerer, held, rng, ASKED) if len(rivals.pairs) else []
    known = Filter(distinct(np.concatenate([graph.facts, held])), len(graph.relations))
    questions = []
    for (source, relation, backwards), answer in asked:
        others = known.answers(np.array([source]), relation, backwards)[0]
        questions.append((graph.step(relation, backwards), source, answer, others))
    if len(questions) < 2:
        return Rivals()
    gains = np.array([_gains(answerer, *question) for question in questions[:_FIRST]])
    if gains.mean(axis=0).max() <= 0.0:
        return Rivals()
    gains = np.concatenate(
        [gains, np.array([_gains(answerer, *one) for one in questions[_FIRST:]]).reshape(-1, _FORCES.size)]
    )
    surely = gains.mean(axis=0) - gains.std(axis=0, ddof=1) / np.sqrt(len(gains))
    force = float(_FORCES[first_largest(surely)])
    return replace(rivals, force=force) if force else Rivals()


def _gains(answerer: Answerer, step: int, source: int, answer: int, others: IdArray) -> NDArray[np.float64]:
    """By how much the reciprocal rank of an answer rises with each force."""
    if not answerer.rivals(answerer.model.targets[step])[0]:
        return np.zeros(_FORCES.size)
    ranks = [_reciprocal_rank(answerer, step, source, answer, others, force) for force in _FORCES.tolist()]
    return np.asarray(ranks) - ranks[0]


def _reciprocal_rank(answerer: Answerer, step: int, source: int, answer: int, others: IdArray, force: float) -> float:
    better, equal = answerer.place(answerer.model.targets[step], source, answer, others, force)
    return 1.0 / (1.0 + better + equal / 2.0)
