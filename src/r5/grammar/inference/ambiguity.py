"""AmbiguityPenalty: what is asked about has one answer, so that a path with several is unlikely to be the one that was meant.

An edge may be wrong in many ways. A grammar weighs each by how likely the rules make the path that it would then be; it
does not know that a path which they merge to several answers would hardly have been asked about. So derivations
of each answer are drawn, and what they take the path to be is weighed by how sure an answer to it would be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray
from r5._util.budget import Budget
from r5._util.elementary_kernels import LOG_2, exp, log
from r5._util.order import at_least
from r5._util.ragged import Ragged
from r5.grammar.charts.filling import inside
from r5.grammar.charts.sampling_kernels import HeadArrays, SampleRequest, draw
from r5.grammar.charts.spans import Spans
from r5.grammar.inference.scoring import Scores, normalize_rows, score_spans
from r5.grammar.model import Grammar

__all__ = ["AmbiguityPenalty", "penalize_ambiguity", "unambiguity"]

_SURE = 0.999
"""A path with an answer as likely as that is not looked at."""
_LEAST_SHARE = 0.01
"""Nor is an answer less likely than that."""
_DRAWS = 32
"""Derivations of the likeliest answer; of others fewer."""
_AT_ONCE = 4_000_000
"""Numbers that what is worked on at once takes, about."""
_TINY = 1e-300


@dataclass(frozen=True)
class AmbiguityPenalty:
    """How much less likely paths with several answers are to be asked about than those with one."""

    power: float
    """Of how sure the first answer is."""
    hidden: tuple[int, ...] = ()
    """Relations that are no answers."""

    def shares(self, joint: FloatArray) -> FloatArray:
        """How likely each answer is, by how likely paths are with each, [paths, relations]."""
        if self.hidden:
            joint = joint.copy()
            joint[:, self.hidden] = 0.0
        return normalize_rows(joint)


def unambiguity(joint: FloatArray, clarity: AmbiguityPenalty) -> FloatArray:
    """How likely each path is to be asked about, [paths], by how likely it is with each answer, [paths, relations].

    >>> unambiguity(np.array([[3.0, 0.0], [1.0, 1.0]]), AmbiguityPenalty(2.0)).tolist()
    [1.0, 0.25]
    """
    sure = clarity.shares(joint).max(axis=1, initial=0.0)
    clear: FloatArray = exp(clarity.power * log(np.maximum(sure, _TINY)))
    return clear


def penalize_ambiguity(
    models: Sequence[Grammar],
    paths: Ragged,
    scores: Sequence[Scores],
    clarity: AmbiguityPenalty,
    longest: int,
    budget: Budget | None,
) -> list[Scores]:
    """The scores, where only paths that are asked about count, under models that differ only in their confusions.

    Paths beyond the longest are left as they are: nothing is known of what would be clear there.
    """
    shares, lengths = clarity.shares(scores[0].joint), np.diff(paths.offsets)
    found = [Scores(one.joint.copy(), one.exponents) for one in scores]
    top = shares.max(axis=1, initial=0.0)
    rows = np.flatnonzero(at_least(top, _LEAST_SHARE) & ~at_least(top, _SURE) & (lengths <= longest))
    draws = _how_many(shares[rows])
    squares = lengths[rows] ** 2
    room = np.maximum(draws.sum(axis=1) * np.maximum(squares, models[0].relations), squares * models[0].relations)
    pieces = np.cumsum(room) // _AT_ONCE
    for piece in np.unique(pieces):
        some = rows[pieces == piece]
        part = [Scores(one.joint[some], one.exponents[some]) for one in scores]
        factors = _factors(models, paths.take(some), part, draws[pieces == piece], clarity, budget)
        for one, factor in zip(found, factors, strict=True):
            one.joint[some] *= factor
    return found


def _how_many(shares: FloatArray) -> NDArray[np.int64]:
    """The number of derivations to draw for each path and answer: the fewer, the less likely it is."""
    relative = shares / shares.max(axis=1, keepdims=True, initial=_TINY)
    draws = np.ceil(_DRAWS * np.sqrt(relative) - 1e-6)  # rounding must not make one more
    return np.where(at_least(shares, _LEAST_SHARE), draws, 0.0).astype(np.int64)


def _factors(
    models: Sequence[Grammar],
    paths: Ragged,
    scores: Sequence[Scores],
    draws: NDArray[np.int64],
    clarity: AmbiguityPenalty,
    budget: Budget | None,
) -> list[FloatArray]:
    """How likely paths are to be asked about with each answer, under each model, [paths, relations].

    A path that may have been meant counts as far as it is likely, given the answer, and for the more the less likely
    it was to be drawn: so nothing depends on how often it was, and what no draw showed is as what they did.
    """
    plain = models[0].noiseless
    drawn, row = _drawn(models[0], paths, draws, budget)
    meant = score_spans(plain, Spans.of(drawn, plain.relations), budget)
    observed = paths.take(row)
    as_meant = _seen_as(plain, drawn, drawn)
    likely = []
    for model, one in zip(models, scores, strict=True):
        steps = (meant.exponents - one.exponents[row]) * LOG_2 + _seen_as(model, drawn, observed) - as_meant
        likely.append(meant.joint / np.maximum(one.joint[row], _TINY) * exp(np.minimum(steps, 700.0))[:, None])
    chance = 1.0 - exp(-(likely[0] * draws[row]).sum(axis=1))
    weight = np.divide(1.0, chance, out=np.zeros(chance.size), where=chance > 0.0)[:, None]
    clear = unambiguity(meant.joint, clarity)[:, None]
    starts = np.searchsorted(row, np.arange(len(paths)))
    return [_mean(clear, share * weight, starts) for share in likely]


def _mean(clear: FloatArray, weights: FloatArray, starts: NDArray[np.int64]) -> FloatArray:
    """How clear what was drawn of each path is for each answer; where nothing was, as for the others together."""
    whole, part = np.add.reduceat(weights, starts), np.add.reduceat(weights * clear, starts)
    total = whole.sum(axis=1, keepdims=True)
    rest = np.divide(part.sum(axis=1, keepdims=True), total, out=np.ones_like(total), where=total > 0.0)
    mean: FloatArray = np.divide(part, whole, out=np.repeat(rest, whole.shape[1], axis=1), where=whole > 0.0)
    return np.where(rest > 0.0, mean, 1.0)  # where nothing that was drawn has an answer, there is nothing to prefer


def _drawn(
    model: Grammar, paths: Ragged, draws: NDArray[np.int64], budget: Budget | None
) -> tuple[Ragged, NDArray[np.int64]]:
    """What derivations take paths to be, so many of each answer, and of which path each is."""
    spans = Spans.of(paths, model.relations)
    chart = inside(spans.arrays, model.arrays, budget)
    lengths = np.diff(paths.offsets)
    longest = int(lengths.max())
    drawing = SampleRequest(
        tokens=paths.offsets[:-1],
        lengths=lengths,
        draws=draws,
        numbers=_numbers(longest),
        leaves=np.empty(int((lengths * draws.sum(axis=1)).sum()), dtype=np.int32),
        distinct=np.zeros(len(paths), dtype=np.int64),
        stack=np.empty((longest, 3), dtype=np.int64),
    )
    used = draw(spans.arrays, _by_head(model), chart, drawing)
    row = np.repeat(np.arange(len(paths)), drawing.distinct)
    return Ragged(drawing.leaves[:used], np.concatenate([[0], np.cumsum(lengths[row])])), row


def _numbers(longest: int) -> FloatArray:
    """From 0 to 1, [draws, longest], evenly spread in each column; a column is the same whatever else is asked."""
    columns = _random(2 * _DRAWS * longest).reshape(longest, 2, _DRAWS)
    ranks = columns[:, 0].argsort(axis=1).argsort(axis=1)
    return np.ascontiguousarray(((ranks + columns[:, 1]) / _DRAWS).T)


def _random(count: int) -> FloatArray:
    """So many numbers from 0 to 1, by SplitMix64: the same with any version of NumPy."""
    z = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _by_head(model: Grammar) -> HeadArrays:
    """The rules of a model in rows by their heads."""
    support = model.support
    order, start = support.by_head
    return HeadArrays(start, support.lefts[order], support.rights[order], model.weight[order], model.background)


def _seen_as(model: Grammar, true: Ragged, observed: Ragged) -> FloatArray:
    """How likely paths are to be observed as others, edge by edge, in logarithms."""
    chances = log(np.maximum(model.confusion_probabilities(true.values, observed.values), _TINY))
    total: FloatArray = np.add.reduceat(chances, true.offsets[:-1])
    return total
