"""Converses: the relation from y to x given the relation from x to y, found in the counts of rules.

In a relation algebra one triangle x, y, z has six readings: c is possible for a, b if and only if a is possible for
c and the converse of b, and so on. The sum of the six counts is far more reliable than each alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray

__all__ = ["agreement", "find_converse", "over_triangles"]

_MIN_GAIN = 1e-9
"""Minimum gain in agreement, beyond rounding."""


def over_triangles(values: FloatArray, converse: NDArray[np.int64]) -> FloatArray:
    """Return the sum of an array [a, b, c] over the six readings of each triangle."""
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
    """Return the agreement of the counts of a rule with those of its other readings, from 0 to 1."""
    roots = np.sqrt(counts)
    size = np.arange(converse.size)
    a, b, c = np.ix_(size, size, size)
    same = roots[converse[b], converse[a], converse[c]] + roots[c, converse[b], a] + roots[converse[a], c, b]
    total = 3.0 * float(counts.sum())
    return float((roots * same).sum()) / total if total > 0.0 else 0.0


def find_converse(counts: FloatArray) -> NDArray[np.int64]:
    """Return the converse of each relation under which the counts [a, b, c] agree best.

    A greedy search from the identity: each step takes the pair, or the single relation, with the largest gain; of
    equals, that of smaller ids.
    """
    best = np.arange(counts.shape[0])
    value = agreement(counts, best)
    while True:
        better: tuple[float, NDArray[np.int64]] | None = None
        for first in range(best.size):
            for second in range(first, best.size):
                tried = _joined(best, first, second)
                reached = agreement(counts, tried)
                if reached > (value if better is None else better[0]) + _MIN_GAIN:
                    better = reached, tried
        if better is None:
            return best
        value, best = better


def _joined(converse: NDArray[np.int64], first: int, second: int) -> NDArray[np.int64]:
    """Return the converses with two relations as each other's converse; those that they leave are their own."""
    changed = converse.copy()
    for relation in (first, second):
        changed[changed[relation]] = changed[relation]
        changed[relation] = relation
    changed[first], changed[second] = second, first
    return changed
