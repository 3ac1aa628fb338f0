"""Columns of ids, such as edges: which of them are equal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import IntArray

__all__ = ["columns_in", "number_columns", "renumber"]


def number_columns(keys: NDArray[np.integer]) -> IntArray:
    """A number for each column of `keys`, the same for equal ones, from 0 in the columns' order of size.

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


def columns_in(columns: NDArray[np.integer], others: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Mark the columns that are among the others.

    >>> columns_in(np.array([[2, 1], [0, 0]]), np.array([[2], [0]])).tolist()
    [True, False]
    """
    numbers = number_columns(np.concatenate([columns, others], axis=1))
    size = columns.shape[1]
    return np.isin(numbers[:size], numbers[size:])


def renumber(numbers: IntArray) -> NDArray[np.int64]:
    """Number by first appearance, so that two numberings can be compared.

    >>> renumber(np.array([7, 3, 7], np.int32)).tolist()
    [0, 1, 0]
    """
    _, first, number = np.unique(numbers, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return rank[number]
