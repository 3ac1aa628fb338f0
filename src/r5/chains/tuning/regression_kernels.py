"""Compiled kernels that tell each of many properties by a few others, weighed together: ridge regression.

Counts are whole numbers, and sums are taken in the order in which they are written: the same bits everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner

__all__ = ["count_pairs", "regress"]

Array = NDArray[Any]


@njit_free
def count_pairs(offsets: Array, properties: Array, counts: Array) -> None:
    """Count how many entities have both of two properties, [properties, properties]; row e has those of entity e."""
    for row in range(offsets.size - 1):
        for i in range(offsets[row], offsets[row + 1]):
            one = properties[i]
            for j in range(offsets[row], offsets[row + 1]):
                counts[one, properties[j]] += 1


@njit_inner
def choose(counts: Array, wanted: int, chosen: Array, likeness: Array) -> int:
    """The properties that go with one most often for how usual they are, best first, of equals the first; how many.

    The likeness is the square of the cosine, but for what is the same for all.
    """
    size = int64(0)
    for other in range(counts.shape[0]):
        both = counts[wanted, other]
        if both == 0 or other == wanted:
            continue
        is_close = int64(both) * int64(both) / counts[other, other]
        if size == chosen.size and is_close <= likeness[size - 1]:
            continue
        place = min(size, chosen.size - 1)
        size = min(size + 1, int64(chosen.size))
        while place > 0 and likeness[place - 1] < is_close:
            likeness[place], chosen[place] = likeness[place - 1], chosen[place - 1]
            place -= 1
        likeness[place], chosen[place] = is_close, other
    return size


@njit_inner
def solve(matrix: Array, right: Array, size: int) -> None:
    """Solve a system whose matrix is symmetric and positive, in place: Cholesky."""
    for i in range(size):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = np.sqrt(total) if i == j else total / matrix[j, j]
    for i in range(size):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            right[i] -= matrix[k, i] * right[k]
        right[i] /= matrix[i, i]


@njit_free
def regress(
    counts: Array,
    first: int,
    last: int,
    ridge: float,
    chosen: Array,
    weights: Array,
    sizes: Array,
    matrix: Array,
    likeness: Array,
) -> None:
    """For each property from `first` to `last` the others that tell it, [properties, most], and their weights."""
    for wanted in range(first, last):
        size = choose(counts, wanted, chosen[wanted], likeness)
        sizes[wanted] = size
        for i in range(size):
            weights[wanted, i] = counts[wanted, chosen[wanted, i]]
            for j in range(i + 1):
                matrix[i, j] = counts[chosen[wanted, i], chosen[wanted, j]]
            matrix[i, i] += ridge
        solve(matrix, weights[wanted], size)
