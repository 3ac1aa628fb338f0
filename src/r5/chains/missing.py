"""Missing: how many candidates are true though nobody says so.

Some facts were taken out of a graph, and others are missing from it altogether. To a model both look alike, so the
rate of those that were taken out grows with how likely candidates are up to a level, the share of what was taken out
among all that is true: there, all candidates are true (Elkan and Noto, 2008). Where the model is nowhere sure, the rate
still grows among the likeliest, and data cannot tell where it ends: then about as much again is taken to be missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.order import first_largest

__all__ = ["Missing", "find_missing", "rising"]

FloatArray = NDArray[np.float64]

_EDGES = np.arange(-9.0, 4.01, 0.25)
"""What is between two edges is a group."""
_LIKELIEST, _NEXT, _RISES = 0.1, 0.3, 1.5
"""Rates level off unless those of the likeliest candidates, with so much of what was taken out, are so many times those
of the next ones, with so much."""
_HALF = 0.5
"""The level where they do not."""
_FEWEST = 20
"""Candidates of so many questions must be at the level, at least."""
_DOUBT = 2.0
"""So many standard errors are taken off a rate before it is compared with others."""
_PRIOR = 100.0
"""So many candidates of each group stand for what is so of those above and those below together."""


@dataclass(frozen=True, eq=False)
class Missing:
    """How likely a candidate is true, by how likely the model calls it and whether it stands above a true answer."""

    level: float
    """The share of what was taken out among all that is true."""
    rates: FloatArray
    """How often candidates were taken out, from the least likely ones on: [2, groups], those above in the last row."""

    def unsaid(self, likely: FloatArray, above: NDArray[np.bool_]) -> FloatArray:
        """How likely candidates that were not taken out are true."""
        rate = self.rates[above.astype(np.int64), np.searchsorted(_EDGES, likely)]
        return np.asarray((rate / self.level - rate) / (1.0 - rate))


def find_missing(
    likely: FloatArray, taken: NDArray[np.bool_], above: NDArray[np.bool_], question: NDArray[np.int64]
) -> Missing:
    """How often candidates were taken out, and where that levels off.

    The candidates are those of questions about each fact that was taken out, its answer aside; `above` are those
    that the model prefers to that. A question with several answers stands there for each, under the same number.

    >>> likely = np.repeat([-6.0, -3.0, -1.0, 0.0, 1.0], 2_000)
    >>> taken = np.concatenate([np.arange(2_000) % n == 0 for n in (500, 8, 4, 4, 4)])
    >>> below = np.zeros(10_000, dtype=bool)
    >>> found = find_missing(likely, taken, below, np.arange(10_000) // 20)
    >>> round(found.level, 2), found.unsaid(np.array([-3.0, 1.0]), below[:2]).round(2).tolist()
    (0.25, [0.43, 1.0])
    """
    sizes, hits = _counts(likely), _counts(likely[taken])
    if not taken.any():
        return Missing(1.0, np.zeros((2, sizes.size)))
    usual = rising(hits, sizes)
    level = _where_all_are_true(likely, taken, question) if _levels_off(hits, sizes) else _HALF
    both = [
        rising(_counts(likely[side & taken]) + _PRIOR * usual, _counts(likely[side]) + _PRIOR)
        for side in (~above, above)
    ]
    return Missing(level, np.minimum(np.stack(both), level * (1.0 - 1e-9)))


def _levels_off(hits: NDArray[np.int64], sizes: NDArray[np.int64]) -> bool:
    """Whether the likeliest candidates were taken out about as often as those that are nearly as likely."""
    found, among = np.cumsum(hits[::-1]), np.cumsum(sizes[::-1])
    first, next_ = (int(np.searchsorted(found, part * found[-1])) for part in (_LIKELIEST, _LIKELIEST + _NEXT))
    more, further = int(found[next_] - found[first]), int(among[next_] - among[first])
    return int(found[first]) * further <= _RISES * more * int(among[first])


def _where_all_are_true(likely: FloatArray, taken: NDArray[np.bool_], question: NDArray[np.int64]) -> float:
    """The rate of the likeliest candidates, so many that it is surely highest."""
    among, found = np.cumsum(_counts(likely)[::-1]), np.cumsum(_counts(likely[taken])[::-1])
    rates = (found + 1.0) / (among + 2.0)
    # Few questions tell little, so the rate counts less what chance may have added: candidates of one are alike.
    each = [_by_question(likely[which], question[which], question) for which in (taken, np.ones_like(taken))]
    errors = np.sqrt(np.cumsum((each[0] - rates * each[1]) ** 2, axis=0)[-1] + 1.0) / (among + 2.0)
    surely = rates - _DOUBT * errors
    asked = np.count_nonzero(each[1], axis=0)
    surely[(asked < min(_FEWEST, int(asked[-1]))) | (found < _LIKELIEST * found[-1])] = -np.inf
    best = first_largest(surely)
    return min(float(found[best]) / max(int(among[best]), 1), 1.0)


def _by_question(likely: FloatArray, question: NDArray[np.int64], every: NDArray[np.int64]) -> FloatArray:
    """How many candidates each question has in each group or a likelier one, [questions, groups], likeliest first."""
    groups, questions = _EDGES.size + 1, int(every.max(initial=-1)) + 1
    place = question * groups + np.searchsorted(_EDGES, likely)
    counts = np.bincount(place, minlength=questions * groups).reshape(questions, groups)
    return np.cumsum(counts[:, ::-1], axis=1).astype(np.float64)


def _counts(likely: FloatArray) -> NDArray[np.int64]:
    """How many there are in each group."""
    return np.bincount(np.searchsorted(_EDGES, likely), minlength=_EDGES.size + 1)


def rising(hits: NDArray[Any], sizes: NDArray[Any]) -> FloatArray:
    """The rates of groups, evened out so that they never fall (pool adjacent violators); empty groups as those before.

    >>> rising(np.array([1, 0, 0, 3]), np.array([4, 0, 4, 4])).tolist()
    [0.125, 0.125, 0.125, 0.75]
    """
    pools: list[tuple[float, float, int]] = []
    for hit, size in zip(hits.tolist(), sizes.tolist(), strict=True):
        pool = (hit, size, 1)
        while pools and (not pool[1] or not pools[-1][1] or pools[-1][0] * pool[1] >= pool[0] * pools[-1][1]):
            before = pools.pop()
            pool = (pool[0] + before[0], pool[1] + before[1], pool[2] + before[2])
        pools.append(pool)
    return np.repeat([hit / (size or 1) for hit, size, _ in pools], [count for *_, count in pools])
