"""Arrays of the states (Section 2.1), and the kernel of the state transition: merging a pair (Appendix A.4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import njit_inner, njit_outer

__all__ = ["StateArrays", "find_ends", "is_whole_path", "merge_pairs"]


class StateArrays(NamedTuple):
    """Pools of nodes (one state each), their paths and their pairs, numbered as the nodes and edges of the search tree.

    A token is one relation on a path. An edge is a relation pair, the action a_B.
    """

    relations: NDArray[np.int32]
    """[tokens], relations of all paths."""
    path_start: NDArray[np.int64]
    """[paths], first token of the path."""
    path_length: NDArray[np.int32]
    """[paths], number of relations."""
    first_path: NDArray[np.int64]
    """[nodes], first path of the state."""
    paths: NDArray[np.int32]
    """[nodes], number of paths."""
    target: NDArray[np.int32]
    """[nodes], y, the target relation; -1 where search does not see it."""
    log_share: NDArray[np.float64]
    """[nodes], sum of the log shares of the rules used so far."""
    steps: NDArray[np.int32]
    """[nodes], number of merges so far."""
    left: NDArray[np.int32]
    """[edges], first relation of the pair."""
    right: NDArray[np.int32]
    """[edges], second relation of the pair."""
    left_type: NDArray[np.int32]
    """[edges], relation type: the id of a known relation, one type for invented relations, one for unseen ones."""
    right_type: NDArray[np.int32]
    """[edges], type of the second relation."""
    row: NDArray[np.int32]
    """[edges], row of the pair's rule in the memory, -1 for none."""
    head: NDArray[np.int32]
    """[edges], a_H, the relation that the pair becomes."""
    features: NDArray[np.float32]
    """[edges, FEATURES], features of the pair."""
    sizes: NDArray[np.int64]
    """[4], number of tokens, paths, nodes and edges in use."""


@njit_inner
def _merge(states: StateArrays, parent: int, left: int, right: int, head: int, log_share: float) -> None:
    """Append the state in which the first occurrence of a pair on each path is replaced by its head.

    Paths without the pair are dropped, as in the paper's public code.
    """
    token, path, node = states.sizes[0], states.sizes[1], states.sizes[2]
    states.first_path[node] = path
    for number in range(states.first_path[parent], states.first_path[parent] + states.paths[parent]):
        start = states.path_start[number]
        stop = start + states.path_length[number]
        for place in range(start, stop - 1):
            if states.relations[place] == left and states.relations[place + 1] == right:
                states.path_start[path] = token
                states.path_length[path] = stop - start - 1
                for source in range(start, stop - 1):
                    states.relations[token] = states.relations[source if source < place else source + 1]
                    token += 1
                states.relations[token - stop + 1 + place] = head
                path += 1
                break
    states.paths[node] = path - states.first_path[node]
    states.target[node] = states.target[parent]
    states.log_share[node] = states.log_share[parent] + log_share
    states.steps[node] = states.steps[parent] + 1
    states.sizes[0], states.sizes[1], states.sizes[2] = token, path, node + 1


@njit_outer
def merge_pairs(
    states: StateArrays, owner: NDArray[np.int32], edges: NDArray[np.int64], log_shares: NDArray[np.float64]
) -> None:
    """Append the states behind these edges.

    Args:
        states: Arrays of the states, changed in place; they must have free capacity.
        owner: Node that each edge leaves, [all edges].
        edges: Edges to follow, [edges].
        log_shares: Log share of each rule, [rules].
    """
    for place in range(edges.size):
        edge = edges[place]
        row = states.row[edge]
        log_share = log_shares[row] if row >= 0 else 0.0
        _merge(states, owner[edge], states.left[edge], states.right[edge], states.head[edge], log_share)


@njit_inner
def is_whole_path(states: StateArrays, node: int, edge: int) -> bool:
    """Return whether one of the paths of a state consists of just this edge's pair."""
    left, right = states.left[edge], states.right[edge]
    first = states.first_path[node]
    for number in range(first, first + states.paths[node]):
        begin = states.path_start[number]
        pair = states.relations[begin] == left and states.path_length[number] == 2
        if pair and states.relations[begin + 1] == right:
            return True
    return False


@njit_outer
def find_ends(
    states: StateArrays, nodes: NDArray[np.int64], edges: NDArray[np.int64], ended: NDArray[np.bool_]
) -> None:
    """Find the merges that leave a path of one relation.

    Args:
        states: Arrays of the states.
        nodes: State of each merge, [merges].
        edges: Edge of each merge, [merges].
        ended: Output: True for a merge that ends the episode, [merges].
    """
    for place in range(nodes.size):
        edge = edges[place]
        ended[place] = is_whole_path(states, nodes[place], edge)
