"""Solved nodes: what search knows for certain it does not estimate.

An edge whose outcome is certain is solved. A node all of whose edges are solved is solved too, and worth its best
edge, for there is one player. The paper's search has none of this: it goes by visits and values alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from r5._util.kernels.compilation import int64, njit_inner

if TYPE_CHECKING:
    from r5.agent.search_kernels import TreeArrays

__all__ = ["settle", "solved_value"]


@njit_inner
def solved_value(tree: TreeArrays, node: int) -> float:
    """The best outcome of a node all of whose edges are solved, else not a number."""
    best = -np.inf
    for edge in range(tree.first[node], tree.first[node] + tree.actions[node]):
        if math.isnan(tree.outcome[edge]):
            return np.nan
        best = max(best, tree.outcome[edge])
    return best


@njit_inner
def settle(tree: TreeArrays, root: int, edge: int, value: float) -> None:
    """Note a solved edge and each node above that is solved by it."""
    while True:
        tree.outcome[edge] = value
        node = int64(tree.owner[edge])
        if node == root:
            return
        value = solved_value(tree, node)
        if math.isnan(value):
            return
        edge = tree.above[node]
