"""Calibrating: the temperature at which first answers are right as often as their probability says.

Facts were taken out of the graph and are asked for. Some of the other candidates are true as well and missing from
the data altogether; they must not count as mistakes. Which they are is not known, but how many: what was taken out and
what is missing look alike to the model, so among candidates of one score the share of those that were taken out
tells the share of true ones, up to a factor. The factor is found where the model is surest, as all are taken to be
true there (Elkan and Noto, 2008).
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

__all__ = ["HEATS", "calibrate", "share_of_true"]

HEATS = exp(np.linspace(-2.0, 1.5, 71))
"""The temperatures that are tried."""
_ASKED = 100
"""So many of the facts taken out are asked for, for each step, and as many entities are looked at."""
_GROUP = 60
"""So many facts that were taken out are in each group of candidates that score alike."""
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
    questions: list[tuple[FloatArray, FloatArray, int]] = []
    for target in targets:
        model = ChainModel(graph.relations, graph.symmetric, {target.step: target}, frontier, 1.0)
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
            questions.append((asked.scores[near[first]], asked.shares[near[first]], int(answer)))
    if not questions:
        return 1.0
    bounds, chances = share_of_true(np.concatenate(shares), np.concatenate(taken))
    gaps = np.zeros(HEATS.size)
    for scores, share, _ in questions:
        place = np.searchsorted(bounds, share, side="right") - 1
        stays = rng.random(share.size) >= np.where(place >= 0, chances[place], 0.0)
        stays[0] = True
        gaps += _gaps(scores[stays])
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


def share_of_true(shares: FloatArray, taken: NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
    """How likely a candidate is true, though not known, from each share of probability on.

    >>> share_of_true(np.array([0.9] * 120 + [0.1] * 1200), np.array([True, False] * 60 + [True] * 60 + [False] * 1140))
    (array([0.1, 0.9]), array([0.1, 1. ]))
    """
    order = np.argsort(-shares, kind="stable")
    shares, taken = shares[order], taken[order]
    # A group ends where there are enough, and the next candidate has another share.
    found: list[tuple[float, int, int]] = []
    counted, start = np.cumsum(taken), 0
    for place in np.flatnonzero(np.append(shares[1:] != shares[:-1], True)).tolist():
        hits = int(counted[place] - (counted[start - 1] if start else 0))
        if hits >= _GROUP:
            found.append((float(shares[place]), hits, place + 1 - start))
            start = place + 1
    merged: list[tuple[float, int, int]] = []
    for lower in found:  # the surer, the more often true: groups that say otherwise become one
        group = lower
        while merged and merged[-1][1] / merged[-1][2] <= group[1] / group[2]:
            _, more, others = merged.pop()
            group = (group[0], group[1] + more, group[2] + others)
        merged.append(group)
    if not merged:
        return np.zeros(0), np.zeros(1)
    rates = np.array([hits / size for _, hits, size in merged[::-1]])
    return np.array([bound for bound, _, _ in merged[::-1]]), rates / rates[-1]
