"""Kernels of solved nodes: parts of a search tree with a certain value are not estimated.

An edge with a certain outcome is solved. A node all of whose edges are solved is solved with the value of its best
edge, since there is one player. The paper's search uses visit counts and values alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from r5._util.kernels.compilation import int64, njit_inner

if TYPE_CHECKING:
    from r5.agent.search.tree_kernels import TreeArrays

__all__ = ["propagate_solved", "solved_value"]


@njit_inner
def solved_value(tree: TreeArrays, node: int) -> float:
    """Return the best outcome of a solved node, NaN for a node that is not solved."""
    best = -np.inf
    for edge in range(tree.first[node], tree.first[node] + tree.actions[node]):
        if math.isnan(tree.outcome[edge]):
            return np.nan
        best = max(best, tree.outcome[edge])
    return best


@njit_inner
def propagate_solved(tree: TreeArrays, root: int, edge: int, value: float) -> None:
    """Set the outcome of an edge, and of each edge above it whose node becomes solved."""
    while True:
        tree.outcome[edge] = value
        node = int64(tree.owner[edge])
        if node == root:
            return
        value = solved_value(tree, node)
        if math.isnan(value):
            return
        edge = tree.above[node]
