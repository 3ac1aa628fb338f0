"""Compiled kernels of ridge regression of each of many properties on a few others.

Counts are integers and sums have a fixed order, so the result has the same bits on every machine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner

__all__ = ["RegressionScratch", "RegressionWeights", "count_pairs", "regress"]

Array = NDArray[Any]


class RegressionWeights(NamedTuple):
    """Predictors of each property, and their weights."""

    predictors: Array  # [properties, most]
    weights: Array  # [properties, most]
    sizes: Array  # [properties], number of predictors of each


class RegressionScratch(NamedTuple):
    """Scratch of one regression."""

    matrix: Array  # [most, most]
    similarity: Array  # [most]


@njit_free
def count_pairs(offsets: Array, properties: Array, counts: Array) -> None:
    """Count the entities that have both of two properties.

    Args:
        offsets: Start of the properties of each entity, and the end of the last, [entities + 1].
        properties: Properties of the entities, one entity after the other.
        counts: The counts, added to, [properties, properties].
    """
    for row in range(offsets.size - 1):
        for i in range(offsets[row], offsets[row + 1]):
            one = properties[i]
            for j in range(offsets[row], offsets[row + 1]):
                counts[one, properties[j]] += 1


@njit_inner
def choose_predictors(counts: Array, response: int, predictors: Array, similarity: Array) -> int:
    """Choose the properties most similar to one, best first and ties in order; return the number of them.

    The similarity is the squared cosine, without the factor that all share.
    """
    size = int64(0)
    for other in range(counts.shape[0]):
        both = counts[response, other]
        if both == 0 or other == response:
            continue
        value = int64(both) * int64(both) / counts[other, other]
        if size == predictors.size and value <= similarity[size - 1]:
            continue
        place = min(size, predictors.size - 1)
        size = min(size + 1, int64(predictors.size))
        while place > 0 and similarity[place - 1] < value:
            similarity[place], predictors[place] = similarity[place - 1], predictors[place - 1]
            place -= 1
        similarity[place], predictors[place] = value, other
    return size


@njit_inner
def solve(matrix: Array, right: Array, size: int) -> None:
    """Solve a system with a symmetric positive definite matrix by Cholesky decomposition, in place."""
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
    counts: Array, first: int, last: int, ridge: float, result: RegressionWeights, scratch: RegressionScratch
) -> None:
    """Regress the properties from `first` to `last` on their most similar ones.

    Args:
        counts: Entities with both of two properties, [properties, properties].
        first: First property.
        last: End of the properties.
        ridge: L2 penalty.
        result: Predictors and weights, of which the rows from `first` to `last` are written.
        scratch: Scratch arrays.
    """
    matrix = scratch.matrix
    for response in range(first, last):
        predictors, weights = result.predictors[response], result.weights[response]
        size = choose_predictors(counts, response, predictors, scratch.similarity)
        result.sizes[response] = size
        for i in range(size):
            weights[i] = counts[response, predictors[i]]
            for j in range(i + 1):
                matrix[i, j] = counts[predictors[i], predictors[j]]
            matrix[i, i] += ridge
        solve(matrix, weights, size)
