"""Converses: which relation holds from y to x where another holds from x to y, found in the counts of rules.

In an algebra of relations one triangle x, y, z says six things: that c is possible for a, b is the same as that a is
for c and the converse of b, and so on. ExpectedCounts of all six together go much further than each alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray

__all__ = ["agreement", "find_converse", "over_triangles"]

_LEAST_GAIN = 1e-9
"""A change of the converse must improve the agreement by more than rounding."""


def over_triangles(values: FloatArray, converse: NDArray[np.int64]) -> FloatArray:
    """The sum of an array [a, b, c] over the six ways to read each triangle."""
    size = np.arange(converse.size)
    a, b, c = np.ix_(size, size, size)
    back = converse
    total = values.copy()
    total += values[c, back[b], a]
    total += values[back[a], c, b]
    total += values[back[b], back[a], back[c]]
    total += values[b, back[c], back[a]]
    total += values[back[c], a, back[b]]
    return total


def agreement(counts: FloatArray, converse: NDArray[np.int64]) -> float:
    """How far the counts of a rule agree with those of the rules that say the same: from 0 to 1."""
    roots = np.sqrt(counts)
    size = np.arange(converse.size)
    a, b, c = np.ix_(size, size, size)
    same = roots[converse[b], converse[a], converse[c]] + roots[c, converse[b], a] + roots[converse[a], c, b]
    total = 3.0 * float(counts.sum())
    return float((roots * same).sum()) / total if total > 0.0 else 0.0


def find_converse(counts: FloatArray) -> NDArray[np.int64]:
    """The converse of each relation under which the counts [a, b, c] agree best with themselves.

    It begins with every relation as its own converse and makes the pair, or the single relation, that improves most;
    of equals, the one of smaller ids.
    """
    best = np.arange(counts.shape[0])
    value = agreement(counts, best)
    while True:
        better: tuple[float, NDArray[np.int64]] | None = None
        for first in range(best.size):
            for second in range(first, best.size):
                tried = _joined(best, first, second)
                reached = agreement(counts, tried)
                if reached > (value if better is None else better[0]) + _LEAST_GAIN:
                    better = reached, tried
        if better is None:
            return best
        value, best = better


def _joined(converse: NDArray[np.int64], first: int, second: int) -> NDArray[np.int64]:
    """The same, but for two relations that are now each other's converse; those they leave are their own."""
    changed = converse.copy()
    for relation in (first, second):
        changed[changed[relation]] = changed[relation]
        changed[relation] = relation
    changed[first], changed[second] = second, first
    return changed
