"""Kernels that propagate possibilities from the source of a query over its shortest paths to its target.

Where paths meet, their possibilities are multiplied, so the time grows with the edges, not with the paths.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import njit_entry, njit_private

__all__ = ["Adjacency", "EdgeArrays", "propagate_edges"]

_FAR = np.int32(2**30)


class Adjacency(NamedTuple):
    """Edges at each node, in compressed rows."""

    offsets: NDArray[np.int64]  # [nodes + 1]
    edges: NDArray[np.int32]  # [edges]


class EdgeArrays(NamedTuple):
    """Edges of a graph; an unseen relation has the size of the table as its id."""

    sources: NDArray[np.int32]  # [edges]
    relations: NDArray[np.int32]  # [edges]
    targets: NDArray[np.int32]  # [edges]
    facts: NDArray[np.int32]  # [edges]
    free: NDArray[np.bool_]  # [edges], edges that may be anything


class Frontier(NamedTuple):
    """State of a search over the shortest paths of a query."""

    ahead: NDArray[np.int32]  # [nodes], distance from the source
    slot: NDArray[np.int32]  # [nodes], row of a node in the possibilities; -1 without one
    step: NDArray[np.float64]  # [relations], possibilities of one more edge


@njit_private
def _distances(
    adjacency: Adjacency,
    ends: NDArray[np.int32],
    facts: NDArray[np.int32],
    query: tuple[int, int, int],
    distance: NDArray[np.int32],
    queue: NDArray[np.int32],
) -> int:
    """Search breadth first up to the layer of the goal; direct edges and the hidden fact are skipped.

    Args:
        adjacency: Edges at each node.
        ends: Other end of each edge.
        facts: Fact of each edge.
        query: Start, goal and hidden fact.
        distance: Distance of each node, _FAR on entry.
        queue: Nodes in the order in which they are met.

    Returns:
        The number of nodes that were met.
    """
    start, goal, hidden = query
    distance[start] = 0
    queue[0] = start
    count, place = 1, 0
    last = _FAR
    while place < count:
        node = queue[place]
        place += 1
        if distance[node] >= last:
            break
        for at in range(adjacency.offsets[node], adjacency.offsets[node + 1]):
            edge = adjacency.edges[at]
            other = ends[edge]
            if facts[edge] == hidden or (node == start and other == goal):
                continue
            if distance[other] == _FAR:
                distance[other] = distance[node] + 1
                queue[count] = other
                count += 1
                if other == goal:
                    last = distance[other]
    return count


@njit_private
def _compose(left: NDArray[np.float64], relation: int, table: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Write the possibilities after one more edge, scaled to a maximum of 1; all 1 after an unseen relation."""
    size = left.size
    if relation >= size:
        out[:] = 1.0
        return
    most = 0.0
    for c in range(size):
        best = 0.0
        for a in range(size):
            value = left[a] * table[a, relation, c]
            best = max(best, value)
        out[c] = best
        most = max(most, best)
    for c in range(size):
        out[c] /= most


@njit_private
def _arrive(
    arriving: Adjacency,
    edges: EdgeArrays,
    query: tuple[int, int, int],
    node: int,
    frontier: Frontier,
    state: NDArray[np.float64],
    used: int,
    limits: tuple[NDArray[np.float64], float],
) -> float:
    """Write the product of the possibilities of the edges that reach a node from the layer before.

    Args:
        arriving: Edges that reach each node.
        edges: All edges.
        query: Start, goal and hidden fact.
        node: The node.
        frontier: State of the search.
        state: Possibilities of each slot, [slots, relations].
        used: The slot of the node.
        limits: The composition table and the minimum possibility.

    Returns:
        The maximum of the product, before it is scaled to 1.
    """
    start, goal, hidden = query
    table, least = limits
    step, here = frontier.step, state[used]
    here[:] = 1.0
    for at in range(arriving.offsets[node], arriving.offsets[node + 1]):
        edge = arriving.edges[at]
        before = edges.sources[edge]
        direct = before == start and node == goal
        known = frontier.slot[before] >= 0 and frontier.ahead[before] + 1 == frontier.ahead[node]
        if edges.facts[edge] == hidden or direct or not known:
            continue
        relation = edges.relations[edge]
        if edges.free[edge] or relation >= step.size:
            step[:] = 1.0
        elif before == start:
            step[:] = least
            step[relation] = 1.0
        else:
            _compose(state[frontier.slot[before]], relation, table, step)
        for c in range(step.size):
            here[c] *= max(step[c], least)
    most = 0.0
    for c in range(step.size):
        most = max(most, here[c])
    for c in range(step.size):
        here[c] = max(here[c] / most, least)
    return most


@njit_entry
def propagate_edges(
    leaving: Adjacency,
    arriving: Adjacency,
    edges: EdgeArrays,
    queries: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]],
    table: NDArray[np.float64],
    least: float,
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
    """Propagate possibilities over the shortest paths of each query.

    Args:
        leaving: Edges that leave each node.
        arriving: Edges that reach each node.
        edges: All edges.
        queries: Sources, targets and hidden facts.
        table: The composition table, [relations, relations, relations].
        least: Minimum possibility.

    Returns:
        The possibilities [queries, relations], the length of the paths (-1: none), and their agreement: 1 where all
        paths have a most possible relation in common, less where they contradict each other.
    """
    size = table.shape[0]
    nodes = leaving.offsets.size - 1
    count = queries[0].size
    possible = np.ones((count, size))
    lengths = np.full(count, -1, dtype=np.int32)
    agree = np.ones(count)
    ahead, behind = np.full(nodes, _FAR, dtype=np.int32), np.full(nodes, _FAR, dtype=np.int32)
    slot = np.full(nodes, -1, dtype=np.int32)
    queue, back = np.empty(nodes, dtype=np.int32), np.empty(nodes, dtype=np.int32)
    state = np.empty((16, size))
    frontier = Frontier(ahead, slot, np.empty(size))
    for number in range(count):
        start, goal, hidden = queries[0][number], queries[1][number], queries[2][number]
        query = (start, goal, hidden)
        met = _distances(leaving, edges.targets, edges.facts, query, ahead, queue)
        length = ahead[goal]
        reached = 0
        if start != goal and length != _FAR:
            lengths[number] = length
            reached = _distances(arriving, edges.sources, edges.facts, (goal, start, hidden), behind, back)
            slot[start] = 0
            used = 1
            for place in range(1, met):
                node = queue[place]
                if ahead[node] + behind[node] != length:
                    continue
                if used == state.shape[0]:
                    wider = np.empty((2 * used, size))
                    wider[:used] = state
                    state = wider
                most = _arrive(arriving, edges, query, node, frontier, state, used, (table, least))
                agree[number] = min(agree[number], most)
                slot[node] = used
                used += 1
            possible[number] = state[slot[goal]]
        for place in range(reached):
            behind[back[place]] = _FAR
        for place in range(met):
            ahead[queue[place]] = _FAR
            slot[queue[place]] = -1
    return possible, lengths, agree
