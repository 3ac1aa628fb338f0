"""Calibrating: the temperature at which first answers are right as often as their probability says.

Facts were taken out of the graph and are asked for. Some of the other candidates are true as well and missing from
the data altogether; they must not count as mistakes. Which they are is not known, but how many: what was taken out and
what is missing look alike to the model, so where it is surest, and all candidates are taken to be true, the share of
those that were taken out tells the share of what is missing (Elkan and Noto, 2008). Each question is taken to lack as
many answers for one that it has as all others, likely ones rather than others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5._util.elementary_kernels import exp
from r5._util.order import first_largest
from r5.chains.answering import Answerer, Filter
from r5.chains.model import ChainModel, Target
from r5.chains.steps import IdArray, StepGraph

__all__ = ["HEATS", "calibrate", "chances_of", "share_taken_out"]

HEATS = exp(np.linspace(-2.0, 1.5, 71))
"""The temperatures that are tried."""
_ASKED = 100
"""So many of the facts taken out are asked for, for each step, and as many entities are looked at."""
_GROUP = 60
"""So many facts that were taken out must be among the candidates that the model is surest of."""
_LEAST = 1e-5
"""Candidates with a smaller share are taken to be wrong."""

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Asked:
    """What one question's candidates scored, facts of the smaller graph aside."""

    scores: FloatArray
    shares: FloatArray


def calibrate(
    graph: StepGraph,
    targets: Sequence[Target],
    held: IdArray,
    whole: StepGraph,
    frontier: int,
    rng: np.random.Generator,
) -> float:
    """The temperature for models of a graph, that the facts `held` of the `whole` graph were taken out of."""
    known, left = (Filter(g.facts, len(g.relations)) for g in (whole, graph))
    shares: list[FloatArray] = []
    taken: list[NDArray[np.bool_]] = []
    questions: list[tuple[FloatArray, FloatArray, int]] = []  # scores and shares, the answer first; answers it has
    for target in targets:
        model = ChainModel(graph.relations, graph.symmetric, {target.step: target}, frontier, graph.entities, 1.0)
        answerer = Answerer(graph, model)
        relation = target.step % len(graph.relations)
        backwards = target.step >= len(graph.relations)
        sources = np.unique(whole.questions(target.step)[0])
        for source in rng.permutation(sources)[:_ASKED].tolist():
            asked, others = _ask(answerer, target, source, left, known, relation, backwards)
            is_taken = np.zeros(asked.scores.size, dtype=bool)
            is_taken[others] = True
            near = asked.shares > _LEAST
            shares.append(asked.shares[near])
            taken.append(is_taken[near])
        facts = held[held[:, 1] == relation][:_ASKED]
        ends = facts[:, [2, 0]] if backwards else facts[:, [0, 2]]
        for source, answer in ends.tolist():
            asked, others = _ask(answerer, target, source, left, known, relation, backwards)
            asked.scores[others[others != answer]] = -np.inf
            near = np.append(answer, np.flatnonzero(asked.shares > _LEAST))
            near = near[np.isfinite(asked.scores[near])]
            near[1:][near[1:] == answer] = near[0]
            first = np.append(True, near[1:] != answer)
            there = left.answers(np.array([source]), relation, backwards)[0].size
            questions.append((asked.scores[near[first]], asked.shares[near[first]], there + 1))
    if not questions:
        return 1.0
    taken_out = share_taken_out(np.concatenate(shares), np.concatenate(taken))
    missing = (1.0 / taken_out - 1.0) * len(held) / max(len(graph.facts), 1)
    gaps = np.zeros(HEATS.size)
    for scores, share, answers in questions:
        stays = rng.random(share.size - 1) >= chances_of(share[1:], missing * answers)
        gaps += _gaps(scores[np.append(True, stays)])
    return float(HEATS[first_largest(-np.abs(gaps))])


def _ask(
    answerer: Answerer, target: Target, source: int, left: Filter, known: Filter, relation: int, backwards: bool
) -> tuple[_Asked, IdArray]:
    """The scores of all candidates, and which of them were taken out."""
    scores = answerer.scores(target, source)
    there = left.answers(np.array([source]), relation, backwards)[0]
    every = known.answers(np.array([source]), relation, backwards)[0]
    scores[there] = -np.inf
    return _Asked(scores, answerer.probabilities(scores, there)), np.setdiff1d(every, there)


def _gaps(scores: FloatArray) -> FloatArray:
    """At each temperature how much more was promised than kept; the right answer is the first."""
    shares = exp((scores[None] - scores.max()) / HEATS[:, None])
    best = first_largest(scores)
    return np.asarray(shares[:, best] / shares.sum(axis=1) - (best == 0))


def share_taken_out(shares: FloatArray, taken: NDArray[np.bool_]) -> float:
    """The share of the facts taken out among all true candidates: their rate where the model is surest, or 1.

    >>> taken = np.append([False, True] * 600, np.arange(12_000) % 20 == 19)
    >>> share_taken_out(np.repeat([0.9, 0.1], [1200, 12_000]), taken)
    0.5
    """
    order = np.argsort(-shares, kind="stable")
    hits = np.cumsum(taken[order])
    enough = np.flatnonzero(hits >= _GROUP)
    if not enough.size:
        return 1.0
    sizes = np.arange(1, hits.size + 1)[enough]
    return float((hits[enough] / sizes).max())


def chances_of(shares: FloatArray, missing: float) -> FloatArray:
    """How likely each candidate is true, so that these sum to how many are missing: in proportion to shares, up to 1.

    >>> chances_of(np.array([0.6, 0.3, 0.1]), 2.0).round(3).tolist()
    [1.0, 0.75, 0.25]
    """
    chances = np.zeros(shares.size)
    order = np.argsort(-shares, kind="stable")
    left, rest = missing, float(shares.sum())
    for place in order.tolist():
        if left <= 0.0 or rest <= 0.0:
            break
        chances[place] = min(1.0, left * float(shares[place]) / rest)
        left -= chances[place]
        rest -= float(shares[place])
    return chances
