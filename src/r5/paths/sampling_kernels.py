"""Compiled kernels that draw paths uniformly over their relation sequences, by rejection sampling.

A walk is drawn uniformly from all walks between the query's ends: for each node and each remaining length, the
number of walks to the target is counted backwards. A walk that is not an admissible path is rejected. A path is
accepted with probability 1/m, where m is the number of paths with the same relations. Therefore all distinct
sequences are equally likely.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from r5._util.kernels.compilation import njit_inner
from r5._util.kernels.random_kernels import GOLDEN_RATIO, mix_bits
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

__all__ = ["Walks", "count_walks", "draw", "ensure_capacity", "new_walks", "random", "seed_random"]

LARGE = 2.0**300
"""Counts above this are scaled down, so that walks of any length can be counted in floats."""

SUMS = 2**20
"""Maximum number of stored partial sums, which replace linear scans of nodes with many edges."""


class Walks(NamedTuple):
    """Number of walks to the target by node and length.

    Row i belongs to node `scratch.backward_queue[i]`, the last row to the source. Column j counts walks of j edges, in
    units of 2 ** exponents[j].
    """

    counts: Array  # [rows * (cutoff + 1)]
    sum_starts: Array  # [rows * (cutoff + 1)], start of the node's partial sums in `sums`, or -1
    sums: Array  # [SUMS], partial sums of walks over a node's edges
    exponents: Array  # [max_length + 1]
    weights: Array  # [max_length + 1], number of walks from the source by length, in one unit
    nodes: Array  # [max_length + 1], nodes of the drawn path
    edges: Array  # [max_length + 1], edges of the drawn path


def new_walks(size: int, max_length: int) -> Walks:
    """Allocate a table of `size` counts."""
    return Walks(
        counts=np.empty(size),
        sum_starts=np.empty(size, np.int64),
        sums=np.empty(SUMS),
        exponents=np.zeros(max_length + 1),
        weights=np.zeros(max_length + 1),
        nodes=np.zeros(max_length + 1, np.int32),
        edges=np.zeros(max_length + 1, np.int32),
    )


def ensure_capacity(walks: Walks, scratch: Scratch) -> Walks:
    """Return the table, or a larger one if the current query needs it."""
    wanted = int(scratch.sides["right"][TARGET] + 1) * int(scratch.state["cutoff"][0] + 1)
    return walks if wanted <= walks.counts.size else new_walks(2 * wanted, walks.weights.size - 1)


@njit_inner
def seed_random(scratch: Scratch, seed: int, source: int, target: int) -> None:
    """Seed the random numbers of a query, independently of its batch."""
    value = mix_bits(np.uint64(seed) + GOLDEN_RATIO)
    value = mix_bits((value ^ np.uint64(source)) + GOLDEN_RATIO)
    scratch.state[0].random = mix_bits((value ^ np.uint64(target)) + GOLDEN_RATIO)


@njit_inner
def random(scratch: Scratch) -> float:
    """Return the next random number in [0, 1)."""
    state = scratch.state[0]
    state.random += GOLDEN_RATIO
    # 52 bits, so that a share of a total is always below the total.
    return np.float64(mix_bits(state.random) >> np.uint64(12)) * 2.0**-52


@njit_inner
def pass_edges(
    edges: Edges, scratch: Scratch, query: Query, walks: Walks, node: int, left: int, share: float, keep: int
) -> tuple[float, int]:
    """Sum the walks of `left` edges from a node to the target, edge by edge, until the sum exceeds `share`.

    Returns:
        The sum and the last edge, or -1. If `keep` >= 0, all partial sums are stored from that index on.
    """
    base, width = scratch.state[0].base, scratch.state[0].cutoff + 1
    total, start = 0.0, edges.outgoing_starts[node]
    for k in range(start, edges.outgoing_starts[node + 1]):
        edge = edges.outgoing[k]
        end = edges.targets[edge]
        fact = edges.facts[edge]
        if (
            base <= scratch.distances[end, TARGET] < base + left
            and (fact >= 0 and fact != query.masked)
            and (not query.simple or end != node or end == query.target)
        ):
            total += walks.counts[scratch.position[end] * width + left - 1]
        if keep >= 0:
            walks.sums[keep + k - start] = total
        elif total > share:
            return total, edge
    return total, -1


@njit_inner
def count_walks(edges: Edges, scratch: Scratch, query: Query, walks: Walks) -> None:
    """Count the walks by increasing length; nodes too far from the source have count 0."""
    state, size, width = scratch.state[0], scratch.sides[TARGET].right, scratch.state[0].cutoff + 1
    state.sums_used = 0
    for row in range(size):
        scratch.position[scratch.backward_queue[row]] = row
    walks.counts[0] = 1.0  # the target itself, no edge left
    walks.exponents[0] = 0.0
    # A simple path has at most as many edges as there are nodes to arrive at.
    longest = min(state.cutoff, size) if query.simple else state.cutoff
    for left in range(1, width):
        largest = 0.0
        for row in range(size + 1):
            node, gone, ahead = query.source, 0, left
            if row < size:
                node = scratch.backward_queue[row]
                gone, ahead = scratch.distances[node, SOURCE] - state.base, scratch.distances[node, TARGET] - state.base
                gone = gone if gone >= 0 else scratch.sides[SOURCE].level + 1
            count = 0.0
            if gone + left <= longest and ahead <= left and not (query.simple and row == 0):
                count = pass_edges(edges, scratch, query, walks, node, left, np.inf, -1)[0]
            walks.counts[row * width + left] = count
            walks.sum_starts[row * width + left] = -1
            largest = max(largest, count)
        walks.exponents[left] = walks.exponents[left - 1]
        if largest > LARGE:
            scale_down(walks, size + 1, width, left)
    weigh_lengths(scratch, query, walks)


@njit_inner
def scale_down(walks: Walks, rows: int, width: int, left: int) -> None:
    """Scale a column down; counts below the precision of floats become 0."""
    walks.exponents[left] += 300.0
    for row in range(rows):
        count = walks.counts[row * width + left] / LARGE
        walks.counts[row * width + left] = count if count > 2.0**-900 else 0.0


@njit_inner
def weigh_lengths(scratch: Scratch, query: Query, walks: Walks) -> None:
    """Convert the numbers of walks from the source to one unit, that of the longest walks."""
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
    """Draw a length in proportion to the number of its walks; return 0 if there are none."""
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
    """Draw the next edge in proportion to the number of walks of `left` edges through it."""
    state, slot = scratch.state[0], row * (scratch.state[0].cutoff + 1) + left
    start, degree = edges.outgoing_starts[node], edges.outgoing_starts[node + 1] - edges.outgoing_starts[node]
    share = random(scratch) * walks.counts[slot] * 2.0 ** (walks.exponents[left] - walks.exponents[left - 1])
    if walks.sum_starts[slot] < 0:
        state.steps -= degree
        if degree < 32 or state.sums_used + degree > walks.sums.size:
            return pass_edges(edges, scratch, query, walks, node, left, share, -1)[1]
        walks.sum_starts[slot] = state.sums_used
        state.sums_used += degree
        pass_edges(edges, scratch, query, walks, node, left, share, walks.sum_starts[slot])
    low, high = 0, degree
    while low < high:
        middle = (low + high) // 2
        if walks.sums[walks.sum_starts[slot] + middle] > share:
            high = middle
        else:
            low = middle + 1
    return int(edges.outgoing[start + low])


@njit_inner
def draw_walk(edges: Edges, scratch: Scratch, query: Query, walks: Walks, length: int) -> bool:
    """Draw a walk into `walks.nodes` and `walks.edges`; return whether it is an admissible path."""
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
            path[taken], nodes[taken + 1], row = edge, end, scratch.position[end]
            used[fact], visited[end] = True, True
            taken += 1
    scratch.state[0].steps -= taken + 1
    for k in range(taken):
        used[edges.facts[path[k]]], visited[nodes[k + 1]] = False, False
    visited[query.source] = False
    return admitted


@njit_inner
def draw(edges: Edges, scratch: Scratch, query: Query, walks: Walks) -> int:
    """Draw a path such that all relation sequences are equally likely.

    Returns:
        The length of an accepted path, minus the length of a rejected one, or 0 without steps or walks left.
    """
    length, admitted = 1, False
    while length > 0 and not admitted and scratch.state[0].steps > 0:
        length = draw_length(scratch, walks)
        admitted = length > 0 and draw_walk(edges, scratch, query, walks, length)
    if not admitted:
        return 0
    for k in range(length):
        scratch.pattern[k] = edges.relations[walks.edges[k]]
    # The path is accepted with probability 1/m. The threshold is drawn first, so that counting stops when m exceeds it.
    threshold = 1.0 / (1.0 - random(scratch))
    begin(edges, scratch, query, length, True)
    paths, outcome = 0, 1
    while outcome > 0 and paths <= threshold:
        outcome = next_path(edges, scratch, query)
        paths += 1 if outcome > 0 else 0
    unwind(edges, scratch)
    return length if outcome == 0 else -length
