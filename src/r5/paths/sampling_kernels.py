"""Compiled kernels that draw paths at random, uniformly over the relation sequences they spell.

A walk is drawn uniformly from all walks between the query's ends: the number of ways to go on
from each node, for each number of edges left, is counted backward from the target. A walk that is
no admissible path is thrown away; one that is stays with probability 1/m, where m is the number of
paths with the same relations. So each distinct sequence is as likely as any other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from r5._util.kernels.compilation import njit_inner
from r5.paths.search_kernels import (
    SOURCE,
    TARGET,
    Array,
    Edges,
    Query,
    Scratch,
    begin,
    next_path,
    unwind,
)

__all__ = ["Walks", "count_walks", "draw", "new_walks", "random", "seed_random", "with_room"]

LARGE = 2.0**300
"""Counts above are scaled down, so that walks of any length can be counted in floats."""

SUMS = 2**20
"""How many partial sums are kept, so that nodes with many edges need not be gone through for each walk."""


class Walks(NamedTuple):
    """How many walks lead to the target; row i is for node `scratch.back[i]`, the last row for the source.

    Column j is for walks of j edges, in units of 2 ** exponents[j].
    """

    counts: Array  # [rows * (cutoff + 1)]
    kept: Array  # [rows * (cutoff + 1)], where in `sums` the edges of the row's node begin; -1 where they are not kept
    sums: Array  # [SUMS], walks by way of a node's edges up to this one
    exponents: Array  # [max_length + 1]
    weights: Array  # [max_length + 1], walks from the source in one unit for all lengths
    nodes: Array  # [max_length + 1], the path drawn
    edges: Array  # [max_length + 1]


def new_walks(size: int, max_length: int) -> Walks:
    """Room for a table of `size` counts."""
    return Walks(
        counts=np.empty(size),
        kept=np.empty(size, np.int64),
        sums=np.empty(SUMS),
        exponents=np.zeros(max_length + 1),
        weights=np.zeros(max_length + 1),
        nodes=np.zeros(max_length + 1, np.int32),
        edges=np.zeros(max_length + 1, np.int32),
    )


def with_room(walks: Walks, scratch: Scratch) -> Walks:
    """The same table, or a larger one where the paths may pass more nodes than it has rows for."""
    wanted = int(scratch.sides["right"][TARGET] + 1) * int(scratch.state["cutoff"][0] + 1)
    return walks if wanted <= walks.counts.size else new_walks(2 * wanted, walks.weights.size - 1)


@njit_inner
def mixed(value: np.uint64) -> np.uint64:
    """The bits of a number, well stirred (splitmix64)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@njit_inner
def seed_random(scratch: Scratch, seed: int, source: int, target: int) -> None:
    """Seed the random numbers of a query, the same wherever it stands in a batch."""
    step = np.uint64(0x9E3779B97F4A7C15)
    value = mixed(np.uint64(seed) + step)
    value = mixed((value ^ np.uint64(source)) + step)
    scratch.state[0].random = mixed((value ^ np.uint64(target)) + step)


@njit_inner
def random(scratch: Scratch) -> float:
    """The next random number in [0, 1)."""
    state = scratch.state[0]
    state.random += np.uint64(0x9E3779B97F4A7C15)
    # 52 bits, so that a share of a total is always below the total.
    return np.float64(mixed(state.random) >> np.uint64(12)) * 2.0**-52


@njit_inner
def pass_edges(
    edges: Edges, scratch: Scratch, query: Query, walks: Walks, node: int, left: int, share: float, keep: int
) -> tuple[float, int]:
    """Add up the walks of `left` edges from a node to the target, edge by edge until they exceed `share`.

    Returns the sum and that edge; where `keep` >= 0, the sums on the way are kept from there on.
    """
    base, width = scratch.state[0].base, scratch.state[0].cutoff + 1
    total, start = 0.0, edges.leaving_starts[node]
    for k in range(start, edges.leaving_starts[node + 1]):
        edge = edges.leaving[k]
        end = edges.targets[edge]
        fact = edges.facts[edge]
        if (
            base <= scratch.distances[end, TARGET] < base + left
            and (fact >= 0 and fact != query.hidden)
            and (not query.simple or end != node or end == query.target)
        ):
            total += walks.counts[scratch.place[end] * width + left - 1]
        if keep >= 0:
            walks.sums[keep + k - start] = total
        elif total > share:
            return total, edge
    return total, -1


@njit_inner
def count_walks(edges: Edges, scratch: Scratch, query: Query, walks: Walks) -> None:
    """Count the walks, shortest first; none are counted from nodes too far from the source."""
    state, size, width = scratch.state[0], scratch.sides[TARGET].right, scratch.state[0].cutoff + 1
    state.summed = 0
    for row in range(size):
        scratch.place[scratch.back[row]] = row
    walks.counts[0] = 1.0  # the target itself, no edge left
    walks.exponents[0] = 0.0
    # A simple path has no more edges than there are nodes for it to arrive at.
    longest = min(state.cutoff, size) if query.simple else state.cutoff
    for left in range(1, width):
        largest = 0.0
        for row in range(size + 1):
            node, gone, ahead = query.source, 0, left
            if row < size:
                node = scratch.back[row]
                gone, ahead = scratch.distances[node, SOURCE] - state.base, scratch.distances[node, TARGET] - state.base
                gone = gone if gone >= 0 else scratch.sides[SOURCE].level + 1
            count = 0.0
            if gone + left <= longest and ahead <= left and not (query.simple and row == 0):
                count = pass_edges(edges, scratch, query, walks, node, left, np.inf, -1)[0]
            walks.counts[row * width + left] = count
            walks.kept[row * width + left] = -1
            largest = max(largest, count)
        walks.exponents[left] = walks.exponents[left - 1]
        if largest > LARGE:
            scale_down(walks, size + 1, width, left)
    weigh_lengths(scratch, query, walks)


@njit_inner
def scale_down(walks: Walks, rows: int, width: int, left: int) -> None:
    """Count a column in larger units; what is then too small for a float to be exact is as good as nothing."""
    walks.exponents[left] += 300.0
    for row in range(rows):
        count = walks.counts[row * width + left] / LARGE
        walks.counts[row * width + left] = count if count > 2.0**-900 else 0.0


@njit_inner
def weigh_lengths(scratch: Scratch, query: Query, walks: Walks) -> None:
    """The walks from the source of each length in one unit, that of the longest there are."""
    width, unit = scratch.state[0].cutoff + 1, 0.0
    start = scratch.sides[TARGET].right * width
    for length in range(1, width):
        if walks.counts[start + length] > 0.0:
            unit = walks.exponents[length]
    for length in range(1, width):
        walks.weights[length] = walks.counts[start + length] * 2.0 ** (walks.exponents[length] - unit)
    if query.skip_direct:
        walks.weights[1] = 0.0


@njit_inner
def draw_length(scratch: Scratch, walks: Walks) -> int:
    """A length, as likely as there are walks of it; 0 where there are none."""
    weights, cutoff = walks.weights, scratch.state[0].cutoff
    total, drawn = 0.0, 0
    for length in range(1, cutoff + 1):
        total += weights[length]
    share = random(scratch) * total
    for length in range(1, cutoff + 1):
        if weights[length] > 0.0 and share >= 0.0:
            drawn = length
            share -= weights[length]
    return drawn


@njit_inner
def draw_edge(edges: Edges, scratch: Scratch, query: Query, walks: Walks, row: int, node: int, left: int) -> int:
    """An edge to go on with, as likely as there are walks of `left` edges by way of it."""
    state, slot = scratch.state[0], row * (scratch.state[0].cutoff + 1) + left
    start, degree = edges.leaving_starts[node], edges.leaving_starts[node + 1] - edges.leaving_starts[node]
    share = random(scratch) * walks.counts[slot] * 2.0 ** (walks.exponents[left] - walks.exponents[left - 1])
    if walks.kept[slot] < 0:
        state.steps -= degree
        if degree < 32 or state.summed + degree > walks.sums.size:
            return pass_edges(edges, scratch, query, walks, node, left, share, -1)[1]
        walks.kept[slot] = state.summed
        state.summed += degree
        pass_edges(edges, scratch, query, walks, node, left, share, walks.kept[slot])
    low, high = 0, degree
    while low < high:
        middle = (low + high) // 2
        if walks.sums[walks.kept[slot] + middle] > share:
            high = middle
        else:
            low = middle + 1
    return int(edges.leaving[start + low])


@njit_inner
def draw_walk(edges: Edges, scratch: Scratch, query: Query, walks: Walks, length: int) -> bool:
    """Draw a walk of that length into `walks.nodes` and `walks.edges`; False where it is no admissible path."""
    nodes, path, visited, used = walks.nodes, walks.edges, scratch.visited, scratch.used
    nodes[0] = query.source
    visited[query.source] = True
    row = scratch.sides[TARGET].right
    taken, admitted = 0, True
    while admitted and taken < length:
        edge = draw_edge(edges, scratch, query, walks, row, nodes[taken], length - taken)
        end, fact = edges.targets[edge], edges.facts[edge]
        admitted = not used[fact] and not (query.simple and visited[end] and taken + 1 < length)
        if admitted:
            path[taken], nodes[taken + 1], row = edge, end, scratch.place[end]
            used[fact], visited[end] = True, True
            taken += 1
    scratch.state[0].steps -= taken + 1
    for k in range(taken):
        used[edges.facts[path[k]]], visited[nodes[k + 1]] = False, False
    visited[query.source] = False
    return admitted


@njit_inner
def draw(edges: Edges, scratch: Scratch, query: Query, walks: Walks) -> int:
    """Draw a path and return its length, all relation sequences being equally likely.

    Minus the length where the path does not count, for others spell the same; 0 when out of steps or walks.
    """
    length, admitted = 1, False
    while length > 0 and not admitted and scratch.state[0].steps > 0:
        length = draw_length(scratch, walks)
        admitted = length > 0 and draw_walk(edges, scratch, query, walks, length)
    if not admitted:
        return 0
    for k in range(length):
        scratch.pattern[k] = edges.relations[walks.edges[k]]
    # It counts with probability 1/m; the threshold comes first, so that counting can stop as soon as m exceeds it.
    threshold = 1.0 / (1.0 - random(scratch))
    begin(edges, scratch, query, length, True)
    paths, outcome = 0, 1
    while outcome > 0 and paths <= threshold:
        outcome = next_path(edges, scratch, query)
        paths += 1 if outcome > 0 else 0
    unwind(edges, scratch)
    return length if outcome == 0 else -length
