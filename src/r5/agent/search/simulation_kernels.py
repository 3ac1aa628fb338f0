"""Kernels of the simulations: selection by PUCT, expansion, and backup, for many trees in lock-step.

Beyond the paper (`solving`): an edge with a certain outcome is solved, and so is a node all of whose edges are solved;
see `beyond.solved_kernels`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.comparison_kernels import is_greater_difference
from r5._util.kernels.compilation import int64, njit_inner, njit_outer
from r5.agent.beyond.solved_kernels import propagate_solved, solved_value
from r5.agent.search.tree_kernels import Expansion, TreeArrays, add_node

__all__ = ["descend", "expand_leaves"]


@njit_inner
def _select(tree: TreeArrays, node: int, exploration: float, solving: bool) -> int:
    """Return the edge with the largest Q + c P sqrt(1 + N) / (1 + n) (PUCT); ties go to the first edge.

    N is the sum of the visit counts n of the node's edges. Q is the mean of the values backed up through the edge, 0
    for an edge without visits; the paper gives no formula. With `solving`, Q of a solved edge is its outcome.
    """
    start = tree.first[node]
    stop = start + tree.actions[node]
    visited = 1
    for edge in range(start, stop):
        visited += tree.visits[edge]
    scale = exploration * math.sqrt(visited)
    best = start
    best_score = 0.0
    for edge in range(start, stop):
        visits = tree.visits[edge]
        mean = tree.outcome[edge]
        if math.isnan(mean) or not solving:
            mean = tree.total[edge] / visits if visits else 0.0
        score = mean + scale * tree.prior[edge] / (1 + visits)
        if edge == start or is_greater_difference(score, best_score):
            best = edge
            best_score = score
    return int(best)


@njit_inner
def _back_up(tree: TreeArrays, root: int, edge: int, value: float) -> None:
    """Add a value and a visit to each edge from this one up to the root, without change of sign: one player."""
    while True:
        tree.visits[edge] += 1
        tree.total[edge] += value
        node = tree.owner[edge]
        if node == root:
            return
        edge = tree.above[node]


@njit_outer
def descend(
    tree: TreeArrays,
    roots: NDArray[np.int64],
    remaining: NDArray[np.int64],
    exploration: float,
    solving: bool,
    free_visits: int,
    leaves: NDArray[np.int64],
) -> int:
    """Run the simulations of each tree until one reaches an edge without a node behind it.

    A simulation that reaches a certain outcome finishes here. While the root is not solved, up to `free_visits` such
    simulations in a row do not count against the budget; otherwise confident priors lead all of them to one end.

    Args:
        tree: Arrays of the trees, changed in place.
        roots: Root of each tree, [trees].
        remaining: Simulations left for each tree, [trees], changed in place.
        exploration: c of PUCT.
        solving: True to use solved nodes.
        free_visits: Number of simulations in a row that are not counted.
        leaves: Output, [trees]: edge to expand, -1 for a tree without simulations left.

    Returns:
        The number of edges to expand.
    """
    waiting = 0
    for place in range(roots.size):
        leaves[place] = -1
        root = roots[place]
        repeats = 0
        while remaining[place] > 0:
            edge = _select(tree, root, exploration, solving)
            while math.isnan(tree.outcome[edge]) and tree.child[edge] >= 0:
                edge = _select(tree, int64(tree.child[edge]), exploration, solving)
            if math.isnan(tree.outcome[edge]):
                leaves[place] = edge
                waiting += 1
                break
            _back_up(tree, root, edge, tree.outcome[edge])
            if repeats < free_visits and math.isnan(solved_value(tree, root)):
                repeats += 1
            else:
                remaining[place] -= 1
                repeats = 0
    return waiting


@njit_outer
def expand_leaves(
    tree: TreeArrays,
    roots: NDArray[np.int64],
    remaining: NDArray[np.int64],
    leaves: NDArray[np.int64],
    expansion: Expansion,
    solving: bool,
) -> None:
    """Add a node behind each leaf and back up its value.

    Args:
        tree: Arrays of the trees, changed in place; they must have free capacity.
        roots: Root of each tree, [trees].
        remaining: Simulations left for each tree, [trees], changed in place.
        leaves: Edge to expand in each tree, -1 for none, [trees].
        expansion: The nodes behind the leaves, in order.
        solving: True to propagate solved nodes.
    """
    taken = 0
    start = int64(0)
    for place in range(roots.size):
        if leaves[place] < 0:
            continue
        edge = leaves[place]
        node = add_node(tree, edge, expansion.counts[taken], expansion, start)
        start += expansion.counts[taken]
        value = solved_value(tree, node) if solving else np.nan
        if math.isnan(value):
            value = expansion.values[taken]
        else:
            propagate_solved(tree, roots[place], edge, value)
        _back_up(tree, roots[place], edge, value)
        remaining[place] -= 1
        taken += 1
