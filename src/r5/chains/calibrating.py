"""Calibrating: the temperature at which first answers are right as often as their probability says.

Some facts are not learned from, and are taken to be wrong wherever they are candidates, as the facts that are missing
are; then they are asked for, each hidden. Some of the other candidates are true as well and missing from the data
altogether; they must not count as mistakes. Which they are is not known, but how many: what was held out and what is
missing look alike to the model, so where it is surest, and all candidates are taken to be true, the share of those that
were held out tells the share of what is missing (Elkan and Noto, 2008). Each question is taken to lack as many
answers for one that it has as all others, likely ones rather than others.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from r5._util.elementary_kernels import exp
from r5._util.order import first_largest
from r5.chains.answering import Answerer, Filter
from r5.chains.model import ChainModel, Target
from r5.chains.step_kernels import Hidden
from r5.chains.steps import IdArray, StepGraph

__all__ = ["HEATS", "calibrate", "chances_of", "hold_out", "missing_answers"]

HEATS = exp(np.linspace(-2.0, 1.5, 71))
"""The temperatures that are tried."""
_MOST, _LEAST_HELD = 1_000, 20
"""Facts that are held out: one in twenty, between these, ..."""
_LARGE = 20
"""... of relations with so many facts or more."""
_GROUP = 60
"""So many facts that were held out must be among the candidates that the model is surest of, ..."""
_GROUPS = 20
"""... of which so many groups are looked at, each with the one before in it."""
_MANY = 1_000.0
"""No more answers than these are taken to be missing for each that is known."""
_LEAST = 1e-5
"""Candidates with a smaller share are taken to be wrong."""

FloatArray = NDArray[np.float64]


def hold_out(graph: StepGraph, seed: int) -> IdArray:
    """The facts that are not learned from, in order."""
    sizes = np.bincount(graph.facts[:, 1], minlength=len(graph.relations))
    able = np.flatnonzero(sizes[graph.facts[:, 1]] >= _LARGE)
    count = min(max(able.size // 20, _LEAST_HELD), _MOST, able.size // 10)
    chosen = np.random.default_rng([seed, 4]).choice(able, count, replace=False)
    held: IdArray = graph.facts[np.sort(chosen)]
    return held


def calibrate(graph: StepGraph, targets: Mapping[int, Target], held: IdArray, frontier: int, seed: int) -> float:
    """The temperature for what was learned from a graph without the facts `held`."""
    model = ChainModel(graph.relations, graph.symmetric, dict(targets), frontier, graph.entities, 1.0)
    answerer = Answerer(graph, model)
    out = Filter(held, len(graph.relations))
    questions = []
    for head, relation, tail in held.tolist():
        for backwards, source, answer in ((False, head, tail), (True, tail, head)):
            target = answerer.target(relation, backwards)
            if target is not None:
                questions.append(_ask(answerer, target, source, answer, relation, backwards, out))
    if not questions:
        return 1.0
    shares = np.concatenate([share for _, share, _ in questions])
    is_answer = np.concatenate([np.arange(share.size) == 0 for _, share, _ in questions])
    answers = np.repeat([has for _, _, has in questions], [share.size for _, share, _ in questions])
    missing = missing_answers(shares, is_answer, answers)
    rng = np.random.default_rng([seed, 5])
    gaps = np.zeros(HEATS.size)
    for scores, share, has in questions:
        stays = rng.random(share.size - 1) >= chances_of(share[1:], missing * has)
        gaps += _gaps(scores[np.append(True, stays)])
    return float(HEATS[first_largest(-np.abs(gaps))])


def _ask(
    answerer: Answerer, target: Target, source: int, answer: int, relation: int, backwards: bool, out: Filter
) -> tuple[FloatArray, FloatArray, int]:
    """Scores and shares of the answer and of what is not known and no answer, and how many answers there are."""
    scores = answerer.scores(target, source, Hidden(source, target.step, answer))
    one = np.array([source])
    known = answerer.known.answers(one, relation, backwards)[0]
    left = np.setdiff1d(known, out.answers(one, relation, backwards)[0])
    others = known[known != answer]
    shares = answerer.probabilities(scores, others)
    near = np.flatnonzero((shares > _LEAST) & (np.arange(shares.size) != answer))
    chosen = np.append(answer, near)
    return scores[chosen], shares[chosen], left.size + 1


def _gaps(scores: FloatArray) -> FloatArray:
    """At each temperature how much more was promised than kept; the right answer is the first."""
    shares = exp((scores[None] - scores.max()) / HEATS[:, None])
    best = first_largest(scores)
    return np.asarray(shares[:, best] / shares.sum(axis=1) - (best == 0))


def missing_answers(shares: FloatArray, held: NDArray[np.bool_], answers: IdArray) -> float:
    """How many answers are missing for each that is known, or 0 where too few candidates tell.

    Of the true candidates of a question with so many `answers`, 1 / (1 + missing * answers) are the one that was held
    out. Where the model is surest all are taken to be true; the fewest that any group of those makes likely count.

    >>> held = np.append([False, True] * 600, np.arange(12_000) % 20 == 19)
    >>> missing = missing_answers(np.repeat([0.9, 0.1], [1200, 12_000]), held, np.full(held.size, 2))
    >>> round(missing, 6)
    0.5
    """
    order = np.argsort(-shares, kind="stable")
    hits = np.cumsum(held[order])
    if not hits.size or hits[-1] < _GROUP:
        return 0.0
    fewest = _MANY
    for wanted in np.unique(np.linspace(_GROUP, hits[-1], _GROUPS).astype(int)).tolist():
        sizes = np.bincount(answers[order[: int(np.searchsorted(hits, wanted)) + 1]])
        low, high = 0.0, fewest
        for _ in range(50):
            middle = (low + high) / 2
            likely = sum(size / (1.0 + middle * has) for has, size in enumerate(sizes.tolist()))
            low, high = (middle, high) if likely > wanted else (low, middle)
        fewest = low
    return fewest


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
