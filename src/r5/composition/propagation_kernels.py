"""Kernels that propagate possibilities from the source of a query over its shortest paths to its target.

Where paths meet, their possibilities are multiplied, so the time grows with the edges, not with the paths.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels import njit_entry, njit_private

__all__ = ["merge_path", "spread"]

_FAR = np.int32(2**30)


@njit_private
def _distances(
    offsets: NDArray[np.int64],
    edges: NDArray[np.int32],
    ends: NDArray[np.int32],
    facts: NDArray[np.int32],
    start: int,
    goal: int,
    hidden: int,
    distance: NDArray[np.int32],
    queue: NDArray[np.int32],
) -> int:
    """Breadth first from `start` until the layer of `goal`; edges from the one to the other are passed over.

    `distance` holds _FAR everywhere before. Returns how many nodes were met, in the order of `queue`.
    """
    distance[start] = 0
    queue[0] = start
    count, place = 1, 0
    last = _FAR
    while place < count:
        node = queue[place]
        place += 1
        if distance[node] >= last:
            break
        for at in range(offsets[node], offsets[node + 1]):
            edge = edges[at]
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
    """What is possible after one more edge, the most possible at 1; after a relation never seen, everything."""
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
    here: NDArray[np.float64],
    coming: tuple[NDArray[np.int64], NDArray[np.int32]],
    edges: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]],
    question: tuple[int, int, int, int],
    ahead: NDArray[np.int32],
    slot: NDArray[np.int32],
    state: NDArray[np.float64],
    free: NDArray[np.bool_],
    table: NDArray[np.float64],
    least: float,
    step: NDArray[np.float64],
) -> float:
    """Multiply into `here` what the edges from the layer before leave possible at a node; the most, before it is 1."""
    sources, relations, _, facts = edges
    start, goal, hidden, node = question
    here[:] = 1.0
    for at in range(coming[0][node], coming[0][node + 1]):
        edge = coming[1][at]
        before = sources[edge]
        direct = before == start and node == goal
        if facts[edge] == hidden or direct or slot[before] < 0 or ahead[before] + 1 != ahead[node]:
            continue
        relation = relations[edge]
        if free[edge] or relation >= step.size:
            step[:] = 1.0
        elif before == start:
            step[:] = least
            step[relation] = 1.0
        else:
            _compose(state[slot[before]], relation, table, step)
        for c in range(step.size):
            here[c] *= max(step[c], least)
    most = 0.0
    for c in range(step.size):
        most = max(most, here[c])
    for c in range(step.size):
        here[c] = max(here[c] / most, least)
    return most


@njit_entry
def spread(
    leaving: tuple[NDArray[np.int64], NDArray[np.int32]],
    coming: tuple[NDArray[np.int64], NDArray[np.int32]],
    edges: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]],
    questions: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]],
    free: NDArray[np.bool_],
    table: NDArray[np.float64],
    least: float,
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
    """For each question how possible each relation is, the length of its paths (-1: none), and how far they agree.

    `leaving` and `coming` are the edges that leave and reach each node; `edges` their sources, relations (the
    table's size for one never seen), targets and facts; `questions` are sources, targets and hidden facts. An edge
    that is `free` may be anything. Paths agree to 1 where what is most possible by each is so by all, and less where
    they contradict each other.
    """
    sources, _, targets, facts = edges
    size = table.shape[0]
    nodes = leaving[0].size - 1
    count = questions[0].size
    possible = np.ones((count, size))
    lengths = np.full(count, -1, dtype=np.int32)
    agree = np.ones(count)
    ahead, behind = np.full(nodes, _FAR, dtype=np.int32), np.full(nodes, _FAR, dtype=np.int32)
    slot = np.full(nodes, -1, dtype=np.int32)
    queue, back = np.empty(nodes, dtype=np.int32), np.empty(nodes, dtype=np.int32)
    state = np.empty((16, size))
    step = np.empty(size)
    for question in range(count):
        start, goal, hidden = questions[0][question], questions[1][question], questions[2][question]
        met = _distances(leaving[0], leaving[1], targets, facts, start, goal, hidden, ahead, queue)
        length = ahead[goal]
        reached = 0
        if start != goal and length != _FAR:
            lengths[question] = length
            reached = _distances(coming[0], coming[1], sources, facts, goal, start, hidden, behind, back)
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
                asked = (start, goal, hidden, node)
                most = _arrive(state[used], coming, edges, asked, ahead, slot, state, free, table, least, step)
                agree[question] = min(agree[question], most)
                slot[node] = used
                used += 1
            possible[question] = state[slot[goal]]
        for place in range(reached):
            behind[back[place]] = _FAR
        for place in range(met):
            ahead[queue[place]] = _FAR
            slot[queue[place]] = -1
    return possible, lengths, agree


@njit_entry
def merge_path(path: NDArray[np.int32], table: NDArray[np.float64], least: float) -> NDArray[np.float64]:
    """Return the possibilities of one path where the order of merging matters: the minimum over all orders.

    A chart: each span has the minimum over its splits, scaled to a maximum of 1.
    """
    length, size = path.size, table.shape[0]
    cells = np.ones((length, length + 1, size))
    for start in range(length):
        if path[start] < size:
            cells[start, start + 1] = least
            cells[start, start + 1, path[start]] = 1.0
    joined = np.empty(size)
    for width in range(2, length + 1):
        for start in range(length - width + 1):
            here = cells[start, start + width]
            for middle in range(start + 1, start + width):
                first, second = cells[start, middle], cells[middle, start + width]
                joined[:] = 0.0
                for a in range(size):
                    for b in range(size):
                        both = first[a] * second[b]
                        for c in range(size):
                            joined[c] = max(joined[c], both * table[a, b, c])
                most = joined.max()
                for c in range(size):
                    here[c] = min(here[c], joined[c] / most)
            most = here.max()
            for c in range(size):
                here[c] = max(here[c] / most, least)
    left: NDArray[np.float64] = cells[0, length]
    return left
