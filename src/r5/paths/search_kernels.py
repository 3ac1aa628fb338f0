"""Compiled kernels for path search: bidirectional distances, then depth-first search within them.

No array of the size of the graph is cleared between queries. Distances are offset by a `base` that rises with each
query, so that older ones read as unknown, and marks are removed one by one. Kernels allocate nothing and pass
results through `Scratch`, which keeps compilation short.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import njit_entry, njit_inner

__all__ = [
    "SOURCE",
    "TARGET",
    "Array",
    "Edges",
    "Query",
    "Scratch",
    "begin",
    "explore",
    "new_scratch",
    "next_path",
    "unwind",
    "without_repeats",
]

Array = NDArray[Any]


class Edges(NamedTuple):
    """Arrays of the pool of graphs."""

    outgoing_starts: Array  # [nodes + 1]
    outgoing: Array  # [edges], edge ids, sorted by relation within a row
    incoming_starts: Array  # [nodes + 1]
    incoming: Array  # [edges]
    sources: Array  # [edges]
    targets: Array  # [edges]
    relations: Array  # [edges]
    facts: Array  # [edges], REPEATED for a duplicate of an earlier edge


class Query(NamedTuple):
    """A query and the paths it admits."""

    source: int
    target: int
    masked: int
    """Masked fact, or -1."""
    simple: bool
    """Paths must not repeat nodes."""
    skip_direct: bool
    """A direct edge is not a path."""


class Scratch(NamedTuple):
    """Scratch arrays, allocated once for all queries."""

    distances: Array  # [nodes, 2], base + distance from the source, base + distance to the target
    forward_queue: Array  # [nodes], queue of the forward search
    backward_queue: Array  # [nodes], queue of the backward search: all nodes on admissible walks, target first
    position: Array  # [nodes], position of a node in `backward_queue`
    visited: Array  # [nodes], nodes on the current path
    used: Array  # [facts], facts on the current path
    nodes: Array  # [max_length + 1], nodes of the current path
    edges: Array  # [max_length + 1], edges of the current path
    cursors: Array  # [max_length + 1], next edge to try at each depth
    pattern: Array  # [max_length + 1], required relations of the path
    sides: Array  # [2] of SIDE, forward and backward search
    state: Array  # [1] of STATE


SOURCE, TARGET = 0, 1
"""Indices of the forward and the backward search."""

REPEATED = -2
"""Fact of an edge that duplicates an earlier one; fact ids are never negative."""

SIDE = np.dtype([("left", np.int64), ("right", np.int64), ("level", np.int64), ("work", np.int64)])
"""State of a breadth-first search: frontier in the queue, its distance, and the number of adjacent edges."""

STATE = np.dtype(
    [
        ("base", np.int64),  # offset of the distances
        ("cutoff", np.int64),  # maximum length of paths; -1 if there is none
        ("depth", np.int64),  # number of edges on the current path; -1 at the end of the search
        ("length", np.int64),  # maximum length of the path, or exact length with a pattern
        ("follow", np.bool_),  # the path must match the pattern
        ("steps", np.int64),  # remaining edges to try
        ("serial", np.int64),  # number of table rows of all earlier queries
        ("rows", np.int64),  # number of table rows of this query
        ("exhaustive", np.bool_),  # the rows are all sequences
        ("sampled", np.bool_),  # the sample has been drawn
        ("random", np.uint64),  # state of the random number generator
        ("sums_used", np.int64),  # number of stored partial sums
    ]
)


def new_scratch(nodes: int, facts: int, max_length: int) -> Scratch:
    """Allocate scratch arrays for a pool of graphs."""
    return Scratch(
        distances=np.zeros((nodes, 2), np.int64),
        forward_queue=np.zeros(nodes, np.int32),
        backward_queue=np.zeros(nodes, np.int32),
        position=np.zeros(nodes, np.int32),
        visited=np.zeros(nodes, np.bool_),
        used=np.zeros(facts, np.bool_),
        nodes=np.zeros(max_length + 1, np.int32),
        edges=np.zeros(max_length + 1, np.int32),
        cursors=np.zeros(max_length + 1, np.int64),
        pattern=np.zeros(max_length + 1, np.int32),
        sides=np.zeros(2, SIDE),
        state=np.zeros(1, STATE),
    )


@njit_entry
def without_repeats(sources: Array, targets: Array, relations: Array, facts: Array, number_of_facts: int) -> Array:
    """Return the facts with REPEATED for duplicates of earlier edges, which paths do not need."""
    marked = facts.copy()
    latest = np.zeros(number_of_facts, np.int32)  # 1 + latest distinct edge of a fact
    before = np.zeros(sources.size, np.int32)  # 1 + previous distinct edge of the same fact
    for edge in range(sources.size):
        other = latest[facts[edge]] - 1
        while other >= 0 and not (
            sources[other] == sources[edge] and targets[other] == targets[edge] and relations[other] == relations[edge]
        ):
            other = before[other] - 1
        if other >= 0:
            marked[edge] = REPEATED
        else:
            before[edge] = latest[facts[edge]]
            latest[facts[edge]] = edge + 1
    return marked


@njit_inner
def expand(edges: Edges, scratch: Scratch, query: Query, side: int, bounded: bool) -> bool:
    """Expand one level of the breadth-first search from the source or the target; return whether the two met.

    With `bounded`, only nodes that the other search reached and that lie on walks within the cutoff are added.
    """
    starts, rows, ends = edges.incoming_starts, edges.incoming, edges.sources
    queue, goal = scratch.backward_queue, query.source
    if side == SOURCE:
        starts, rows, ends = edges.outgoing_starts, edges.outgoing, edges.targets
        queue, goal = scratch.forward_queue, query.target
    distances, front, base = scratch.distances, scratch.sides[side], scratch.state[0].base
    left, right, level = front.left, front.right, front.level
    farthest = base + scratch.state[0].cutoff - level
    size, work, met = right, 0, False
    for i in range(left, right):
        node = queue[i]
        for k in range(starts[node], starts[node + 1]):
            edge = rows[k]
            end, fact = ends[edge], edges.facts[edge]
            if fact < 0 or fact == query.masked:
                continue
            if end == goal:
                met |= level > 0 or not (query.simple and query.skip_direct)
                if query.simple:
                    continue
            other = distances[end, 1 - side]
            if distances[end, side] >= base or (bounded and not base <= other < farthest):
                continue
            distances[end, side] = base + level + 1
            met |= other >= base
            queue[size] = end
            size += 1
            work += starts[end + 1] - starts[end]
    front.left, front.right, front.level, front.work = right, size, level + 1, work
    return met


@njit_inner
def explore(edges: Edges, scratch: Scratch, query: Query, least: int, most: int) -> None:
    """Compute the cutoff and, for all nodes on walks up to it, the distances from the source and to the target.

    The cutoff is the smallest number of edges in [least, most] that is at least the distance of the ends. The search
    with less work expands, so that few nodes of a large graph are visited.
    """
    state, front, back = scratch.state[0], scratch.sides[SOURCE], scratch.sides[TARGET]
    state.base += most + 2
    state.cutoff = -1
    scratch.distances[query.source, SOURCE], scratch.distances[query.target, TARGET] = state.base, state.base
    scratch.forward_queue[0], scratch.backward_queue[0] = query.source, query.target
    front.left, front.right, front.level, front.work = 0, 1, 0, 0
    back.left, back.right, back.level, back.work = 0, 1, 0, 0
    met = False
    while back.left < back.right:
        enough = front.left == front.right or front.level + back.level >= (least if met else most)
        if state.cutoff < 0 and enough and met:
            state.cutoff = max(least, front.level + back.level)
        if (state.cutoff < 0 and enough) or 0 <= state.cutoff <= back.level + 1:
            return
        bounded = state.cutoff >= 0
        side = SOURCE if not bounded and front.work <= back.work else TARGET
        met |= expand(edges, scratch, query, side, bounded)
    if met and state.cutoff < 0:
        state.cutoff = max(least, front.level + back.level)


@njit_inner
def first_edge(edges: Edges, scratch: Scratch, node: int, depth: int) -> int:
    """Return the first position in `edges.outgoing` for a node at a depth: that of the pattern's relation, if any."""
    left, right = edges.outgoing_starts[node], edges.outgoing_starts[node + 1]
    if scratch.state[0].follow and depth < scratch.state[0].length:
        while left < right:
            middle = (left + right) // 2
            if edges.relations[edges.outgoing[middle]] < scratch.pattern[depth]:
                left = middle + 1
            else:
                right = middle
    return int(left)


@njit_inner
def begin(edges: Edges, scratch: Scratch, query: Query, length: int, follow: bool) -> None:
    """Begin a depth-first search for paths of up to `length` edges, or of exactly `length` edges with the pattern."""
    state = scratch.state[0]
    state.depth, state.length, state.follow = 0, length, follow
    scratch.nodes[0] = query.source
    scratch.cursors[0] = first_edge(edges, scratch, query.source, 0)
    scratch.visited[query.source] = True


@njit_inner
def unwind(edges: Edges, scratch: Scratch) -> None:
    """Remove the marks of an unfinished search."""
    for depth in range(scratch.state[0].depth, -1, -1):
        scratch.visited[scratch.nodes[depth]] = False
        if depth > 0:
            scratch.used[edges.facts[scratch.edges[depth - 1]]] = False


@njit_inner
def next_path(edges: Edges, scratch: Scratch, query: Query) -> int:
    """Find the next path, in `scratch.nodes` and `edges`; return its length, 0 at the end, or -1 without steps left."""
    nodes, path, cursors, state = scratch.nodes, scratch.edges, scratch.cursors, scratch.state[0]
    depth, steps, base, cutoff, follow = state.depth, state.steps, state.base, state.length, state.follow
    found = 0
    while depth >= 0 and found == 0:
        node = nodes[depth]
        if depth == cutoff or cursors[depth] == edges.outgoing_starts[node + 1]:
            scratch.visited[node] = False
            if depth > 0:
                scratch.used[edges.facts[path[depth - 1]]] = False
            depth -= 1
            continue
        if steps <= 0:
            found = -1
            break
        steps -= 1
        edge = edges.outgoing[cursors[depth]]
        cursors[depth] += 1
        if follow and edges.relations[edge] != scratch.pattern[depth]:
            cursors[depth] = edges.outgoing_starts[node + 1]
            continue
        end = edges.targets[edge]
        arrived = end == query.target
        if not (arrived or base <= scratch.distances[end, TARGET] < base + cutoff - depth):
            continue
        fact = edges.facts[edge]
        if fact < 0 or fact == query.masked or scratch.used[fact]:
            continue
        if query.simple and not arrived and scratch.visited[end]:
            continue
        path[depth], nodes[depth + 1] = edge, end
        if arrived and not (depth == 0 and query.skip_direct) and not (follow and depth + 1 < cutoff):
            found = depth + 1
        if not (query.simple and arrived):
            depth += 1
            scratch.used[fact] = True
            scratch.visited[end] = True
            cursors[depth] = first_edge(edges, scratch, end, depth)
    state.depth, state.steps = depth, steps
    return found
