"""Giving way: how strongly the scores of rivals count, by facts that the model has not learned from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from r5._util.order import first_largest
from r5.chains.answering import Answerer, Filter, place
from r5.chains.calibrating import some_questions
from r5.chains.rivals import Rivals
from r5.chains.steps import IdArray, distinct

__all__ = ["measure_force"]

_FORCES = np.array([0.0, 0.25, 0.5, 1.0, 2.0, 4.0])
_ASKED = 2_000
"""So many facts are asked for, at the most."""


def measure_force(answerer: Answerer, held: IdArray, rng: np.random.Generator) -> Rivals:
    """The rivals of a model with the force that brings right answers to the front; none where no force surely does.

    A force must gain more than chance may have given it: the mean gain less its standard error counts.
    """
    graph, rivals = answerer.graph, answerer.model.rivals
    asked = some_questions(answerer, held, rng, _ASKED) if len(rivals.pairs) else []
    known = Filter(distinct(np.concatenate([graph.facts, held])), len(graph.relations))
    gains = []
    for (source, relation, backwards), answer in asked:
        others = known.answers(np.array([source]), relation, backwards)[0]
        gains.append(_gains(answerer, graph.step(relation, backwards), source, answer, others))
    if len(gains) < 2:
        return Rivals()
    found = np.array(gains)
    surely = found.mean(axis=0) - found.std(axis=0, ddof=1) / np.sqrt(len(found))
    force = float(_FORCES[first_largest(surely)])
    return replace(rivals, force=force) if force else Rivals()


def _gains(answerer: Answerer, step: int, source: int, answer: int, others: IdArray) -> NDArray[np.float64]:
    """By how much the reciprocal rank of an answer rises with each force."""
    target = answerer.model.targets[step]
    rivals, odds = answerer.rivals(target)
    if not rivals:
        return np.zeros(_FORCES.size)
    less = answerer.rivalry(target, source, rivals, odds)
    scores = answerer.scores(target, source)
    places = (place(scores - force * less, answer, others) for force in _FORCES.tolist())
    ranks = np.array([1.0 / (1.0 + better + equal / 2.0) for better, equal in places])
    return np.asarray(ranks - ranks[0])
