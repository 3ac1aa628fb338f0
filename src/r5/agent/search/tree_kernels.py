"""Arrays of the search trees, and kernels that append nodes.

A tree knows nothing of relations: an edge is an action, and an evaluator describes the node behind it. An edge with an
outcome ends the episode.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner, njit_outer

__all__ = ["Expansion", "TreeArrays", "add_node", "add_nodes"]


class TreeArrays(NamedTuple):
    """Pools of nodes and edges; the edges of node v are `first[v]` to `first[v] + actions[v]`."""

    first: NDArray[np.int64]
    """[nodes], first edge of the node."""
    actions: NDArray[np.int32]
    """[nodes], number of edges of the node."""
    above: NDArray[np.int64]
    """[nodes], edge that leads to the node, -1 at a root."""
    owner: NDArray[np.int32]
    """[edges], node that the edge leaves."""
    child: NDArray[np.int32]
    """[edges], node that the edge leads to, -1 for none."""
    prior: NDArray[np.float64]
    """[edges], rho."""
    visits: NDArray[np.int32]
    """[edges], visit count."""
    total: NDArray[np.float64]
    """[edges], sum of the values backed up through the edge."""
    outcome: NDArray[np.float64]
    """[edges], value of an edge with a certain end, else NaN."""
    sizes: NDArray[np.int64]
    """[2], number of nodes and of edges in use."""


class Expansion(NamedTuple):
    """New nodes with their actions; the actions of each node follow those of the node before."""

    counts: NDArray[np.int32]
    """[nodes], number of actions, at least one."""
    priors: NDArray[np.float64]
    """[actions], rho; sums to 1 over each node."""
    outcomes: NDArray[np.float64]
    """[actions], value of an action with a certain end, else NaN."""
    values: NDArray[np.float64]
    """[nodes], nu."""


@njit_inner
def add_node(tree: TreeArrays, above: int, count: int, expansion: Expansion, start: int) -> int:
    """Append a node behind the edge `above` (-1 for none); its actions are those from `start` on."""
    node = tree.sizes[0]
    first = tree.sizes[1]
    tree.first[node] = first
    tree.actions[node] = count
    tree.above[node] = above
    if above >= 0:
        tree.child[above] = node
    for place in range(count):
        edge = first + place
        tree.owner[edge] = node
        tree.child[edge] = -1
        tree.prior[edge] = expansion.priors[start + place]
        tree.visits[edge] = 0
        tree.total[edge] = 0.0
        tree.outcome[edge] = expansion.outcomes[start + place]
    tree.sizes[0] = node + 1
    tree.sizes[1] = first + count
    return int(node)


@njit_outer
def add_nodes(tree: TreeArrays, above: NDArray[np.int64], expansion: Expansion) -> None:
    """Append nodes behind these edges.

    Args:
        tree: Arrays of the trees, changed in place; they must have free capacity.
        above: Edge that leads to each new node, -1 for none, [nodes].
        expansion: The new nodes.
    """
    start = int64(0)
    for place in range(above.size):
        add_node(tree, above[place], expansion.counts[place], expansion, start)
        start += expansion.counts[place]
