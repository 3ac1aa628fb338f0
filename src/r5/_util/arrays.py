"""Arrays of ids: int32, contiguous, read-only, the one layout that kernels are compiled for; columns of ids."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "FloatArray",
    "IntArray",
    "as_int_array",
    "id_difference",
    "isin_columns",
    "number_by_appearance",
    "number_columns",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int32]


def as_int_array(values: Iterable[int] | NDArray[np.integer]) -> IntArray:
    """Return the values as a read-only array of int32, without a copy if possible."""
    array = np.ascontiguousarray(values if isinstance(values, np.ndarray) else list(values), dtype=np.int32)
    array = array if not array.flags.writeable else array.view()
    array.flags.writeable = False
    return array


def number_columns(keys: NDArray[np.integer]) -> IntArray:
    """Number the columns of `keys` from 0 in lexicographic order of the last row first; equal columns share a number.

    >>> number_columns(np.array([[2, 1, 2], [0, 0, 0]])).tolist()
    [1, 0, 1]
    """
    order = np.lexsort(keys)
    ordered = keys[:, order]
    new = np.ones(order.size, dtype=bool)
    new[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    numbers = np.empty(order.size, dtype=np.int32)
    numbers[order] = np.cumsum(new) - 1
    return numbers


def id_difference(ids: NDArray[np.integer], others: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the ids that are not among the others, sorted and distinct; negative ones are left out.

    >>> id_difference(np.array([5, 2, 2, 1]), np.array([1, 7, -1])).tolist()
    [2, 5]
    """
    left = np.zeros(ids.max(initial=-1) + 1, dtype=bool)
    left[ids[ids >= 0]] = True
    left[others[(others >= 0) & (others < left.size)]] = False
    return np.flatnonzero(left)


def isin_columns(columns: NDArray[np.integer], others: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return which columns are among the others.

    >>> isin_columns(np.array([[2, 1], [0, 0]]), np.array([[2], [0]])).tolist()
    [True, False]
    """
    numbers = number_columns(np.concatenate([columns, others], axis=1))
    size = columns.shape[1]
    return np.isin(numbers[:size], numbers[size:])


def number_by_appearance(numbers: IntArray) -> NDArray[np.int64]:
    """Renumber ids by first appearance, so that two numberings can be compared.

    >>> number_by_appearance(np.array([7, 3, 7], np.int32)).tolist()
    [0, 1, 0]
    """
    _, first, number = np.unique(numbers, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return rank[number]
