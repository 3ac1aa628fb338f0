"""Trie: bodies of rules that begin alike share their first steps, so each prefix is followed once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from r5.chains.graph.step_graph import IdArray
from r5.chains.graph.step_kernels import Trie

__all__ = ["Trie", "make_trie"]


def make_trie(bodies: Sequence[tuple[int, ...]], chosen: Sequence[int] | None = None) -> Trie:
    """The trie of distinct bodies, all or those chosen; rule i has the body i.

    >>> make_trie([(2,), (1, 2), (1,)]).following.tolist()
    [2, 2, 3]
    """
    numbers = np.arange(len(bodies)) if chosen is None else np.array(chosen, np.int64)
    table, sizes = _table([bodies[rule] for rule in numbers.tolist()])
    order = np.lexsort(table.T[::-1])
    table, sizes, numbers = table[order], sizes[order], numbers[order]
    shared = np.zeros(len(table), np.int64)  # steps that each body begins with like the one before
    shared[1:] = np.cumprod(table[1:] == table[:-1], axis=1).sum(axis=1)
    places = np.arange(table.shape[1])
    is_new = (places >= shared[:, None]) & (places < sizes[:, None])
    depths = np.broadcast_to(places, table.shape)[is_new]
    steps = table[is_new]
    rules = np.full(steps.size, -1, np.int32)
    rules[np.cumsum(sizes - shared) - 1] = numbers
    following = np.full(steps.size, steps.size, np.int64)
    for depth in range(table.shape[1]):
        own, ends = np.flatnonzero(depths == depth), np.append(np.flatnonzero(depths <= depth), steps.size)
        following[own] = ends[np.searchsorted(ends, own, side="right")]
    first = np.flatnonzero(depths == 0)
    roots = first[np.searchsorted(steps[first], np.arange(steps[first[-1]] + 1 if first.size else 0))]
    return Trie(steps.astype(np.int32), depths.astype(np.int32), rules, following, roots.astype(np.int64))


def _table(bodies: Sequence[tuple[int, ...]]) -> tuple[IdArray, IdArray]:
    """The bodies as rows, filled up with -1, so that what is shorter comes before what continues it; their lengths."""
    sizes = np.fromiter(map(len, bodies), np.int64, len(bodies))
    table = np.full((sizes.size, int(sizes.max(initial=1))), -1, np.int64)
    table[np.arange(table.shape[1]) < sizes[:, None]] = np.fromiter(chain.from_iterable(bodies), np.int64)
    return table, sizes
