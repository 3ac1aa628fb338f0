"""Compiled kernels that search paths: distances from both ends, then depth first within them.

Nothing of the size of the graph is cleared between queries: distances are stored on top of a `base`
that rises from query to query, so older ones read as unknown, and marks are taken back one by one.
Kernels allocate nothing and pass what they found through `Scratch`, which keeps compilation short.
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
    """The pool of graphs as plain arrays."""

    leaving_starts: Array  # [nodes + 1]
    leaving: Array  # [edges], edge numbers, by relation within a row
    arriving_starts: Array
    arriving: Array
    sources: Array  # [edges]
    targets: Array
    relations: Array
    facts: Array  # REPEATED where an earlier edge is the same in every respect


class Query(NamedTuple):
    """What is asked, and which paths are admitted."""

    source: int
    target: int
    hidden: int
    simple: bool
    skip_direct: bool


class Scratch(NamedTuple):
    """Working memory, made once for all queries."""

    distances: Array  # [nodes, 2], base + distance from the source, base + distance to the target
    front: Array  # [nodes], queue of the forward search
    back: Array  # [nodes], queue of the backward search: all nodes that paths may pass, target first
    place: Array  # [nodes], where in `back` a node stands
    visited: Array  # [nodes], nodes on the current path
    used: Array  # [facts], facts on the current path
    nodes: Array  # [max_length + 1], the current path
    edges: Array  # [max_length + 1]
    cursors: Array  # [max_length + 1], the next edge to try at each depth
    pattern: Array  # [max_length + 1], relations that the path must spell
    sides: Array  # [2] of SIDE, the forward and the backward search
    state: Array  # [1] of STATE


SOURCE, TARGET = 0, 1
"""The two sides of a query."""

REPEATED = -2
"""Stands for the fact of an edge that is the same as an earlier one; facts are never negative."""

SIDE = np.dtype([("left", np.int64), ("right", np.int64), ("level", np.int64), ("work", np.int64)])
"""A breadth-first search: its frontier in the queue, the frontier's distance, and the edges next to it."""

STATE = np.dtype(
    [
        ("base", np.int64),  # what distances are counted from
        ("cutoff", np.int64),  # how long paths may be; -1 where there can be none
        ("depth", np.int64),  # edges on the current path; -1 where the search has ended
        ("length", np.int64),  # how long the path sought may be, or must be where it follows the pattern
        ("follow", np.bool_),  # whether it must spell the pattern
        ("steps", np.int64),  # edges that may still be tried
        ("serial", np.int64),  # rows in the bag of all earlier queries
        ("rows", np.int64),  # rows in the bag of this query
        ("listed", np.bool_),  # whether these are all sequences there are
        ("sampled", np.bool_),  # whether sampling has chosen among them
        ("random", np.uint64),  # state of the random number generator
        ("summed", np.int64),  # how many sums are kept for drawing walks
    ]
)


def new_scratch(nodes: int, facts: int, max_length: int) -> Scratch:
    """Working memory for a pool of so many nodes and facts."""
    return Scratch(
        distances=np.zeros((nodes, 2), np.int64),
        front=np.zeros(nodes, np.int32),
        back=np.zeros(nodes, np.int32),
        place=np.zeros(nodes, np.int32),
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
    """The facts, but REPEATED for an edge that is the same as an earlier one: paths need only the first."""
    marked = facts.copy()
    latest = np.zeros(number_of_facts, np.int32)  # 1 + the latest distinct edge of a fact
    before = np.zeros(sources.size, np.int32)  # 1 + the distinct edge of the same fact before this one
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
    """One more level of the breadth-first search from the source or the target; whether the two met.

    Where `bounded`, only nodes join that the other side knows and that lie on walks within the cutoff.
    """
    starts, rows, ends = edges.arriving_starts, edges.arriving, edges.sources
    queue, goal = scratch.back, query.source
    if side == SOURCE:
        starts, rows, ends = edges.leaving_starts, edges.leaving, edges.targets
        queue, goal = scratch.front, query.target
    distances, front, base = scratch.distances, scratch.sides[side], scratch.state[0].base
    left, right, level = front.left, front.right, front.level
    farthest = base + scratch.state[0].cutoff - level
    size, work, met = right, 0, False
    for i in range(left, right):
        node = queue[i]
        for k in range(starts[node], starts[node + 1]):
            edge = rows[k]
            end, fact = ends[edge], edges.facts[edge]
            if fact < 0 or fact == query.hidden:
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
    """Find the cutoff and, for all nodes on walks up to it, the distances from the source and to the target.

    The cutoff is the smallest of at least `least` and at most `most` edges for which the ends are
    near enough to each other. The side with less work expands, so that large graphs are hardly touched.
    """
    state, front, back = scratch.state[0], scratch.sides[SOURCE], scratch.sides[TARGET]
    state.base += most + 2
    state.cutoff = -1
    scratch.distances[query.source, SOURCE], scratch.distances[query.target, TARGET] = state.base, state.base
    scratch.front[0], scratch.back[0] = query.source, query.target
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
    """Where in `edges.leaving` to begin with a node at that depth: at the pattern's relation if it must be followed."""
    left, right = edges.leaving_starts[node], edges.leaving_starts[node + 1]
    if scratch.state[0].follow and depth < scratch.state[0].length:
        while left < right:
            middle = (left + right) // 2
            if edges.relations[edges.leaving[middle]] < scratch.pattern[depth]:
                left = middle + 1
            else:
                right = middle
    return int(left)


@njit_inner
def begin(edges: Edges, scratch: Scratch, query: Query, length: int, follow: bool) -> None:
    """Start a depth-first search for paths of up to `length` edges, or exactly so many that follow the pattern."""
    state = scratch.state[0]
    state.depth, state.length, state.follow = 0, length, follow
    scratch.nodes[0] = query.source
    scratch.cursors[0] = first_edge(edges, scratch, query.source, 0)
    scratch.visited[query.source] = True


@njit_inner
def unwind(edges: Edges, scratch: Scratch) -> None:
    """Take back the marks of a search that stops before its end."""
    for depth in range(scratch.state[0].depth, -1, -1):
        scratch.visited[scratch.nodes[depth]] = False
        if depth > 0:
            scratch.used[edges.facts[scratch.edges[depth - 1]]] = False


@njit_inner
def next_path(edges: Edges, scratch: Scratch, query: Query) -> int:
    """Go on to the next path, in `scratch.nodes` and `edges`, and return its length; 0 at the end, -1 out of steps."""
    nodes, path, cursors, state = scratch.nodes, scratch.edges, scratch.cursors, scratch.state[0]
    depth, steps, base, cutoff, follow = state.depth, state.steps, state.base, state.length, state.follow
    found = 0
    while depth >= 0 and found == 0:
        node = nodes[depth]
        if depth == cutoff or cursors[depth] == edges.leaving_starts[node + 1]:
            scratch.visited[node] = False
            if depth > 0:
                scratch.used[edges.facts[path[depth - 1]]] = False
            depth -= 1
            continue
        if steps <= 0:
            found = -1
            break
        steps -= 1
        edge = edges.leaving[cursors[depth]]
        cursors[depth] += 1
        if follow and edges.relations[edge] != scratch.pattern[depth]:
            cursors[depth] = edges.leaving_starts[node + 1]
            continue
        end = edges.targets[edge]
        arrived = end == query.target
        if not (arrived or base <= scratch.distances[end, TARGET] < base + cutoff - depth):
            continue
        fact = edges.facts[edge]
        if fact < 0 or fact == query.hidden or scratch.used[fact]:
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
