"""Compiled kernels that draw paths at random, uniformly over the relation sequences they spell.

A walk is drawn uniformly from all walks between the query's ends: the number of ways to go on
from each node, for each number of edges left, is counted backward from the target. A walk that is
no admissible path is thrown away; one that is stays with probability 1/m, where m is the number of
paths with the same relations. So each distinct sequence is as likely as any other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from r5.path_search_kernels import Array, Edges, Query, Scratch, begin, next_path, njit_inner, unwind

__all__ = ["Walks", "count_walks", "draw", "new_walks", "seed_random", "with_room"]

LARGE = 2.0**300  # counts above are scaled down, so that walks of any length can be counted in floats


class Walks(NamedTuple):
    """How many walks lead to the target; row i is for node `scratch.back[i]`, column j for j edges."""

    counts: Array  # [nodes that paths may pass * (cutoff + 1)], in units of 2 ** exponents[j]
    starting: Array  # [max_length + 1], walks from the source, in units of 2 ** exponents[j - 1]
    weights: Array  # [max_length + 1], the same in one unit for all lengths
    exponents: Array  # [max_length + 1]
    nodes: Array  # [max_length + 1], the path drawn
    edges: Array  # [max_length + 1]


def new_walks(size: int, max_length: int) -> Walks:
    """Room for a table of `size` counts."""
    return Walks(
        counts=np.empty(size),
        starting=np.zeros(max_length + 1),
        weights=np.zeros(max_length + 1),
        exponents=np.zeros(max_length + 1),
        nodes=np.zeros(max_length + 1, np.int32),
        edges=np.zeros(max_length + 1, np.int32),
    )


def with_room(walks: Walks, scratch: Scratch) -> Walks:
    """The same table, or a larger one where the paths may pass more nodes than it has rows for."""
    wanted = int(scratch.sides["right"][1]) * (int(scratch.state["cutoff"][0]) + 1)
    return walks if wanted <= walks.counts.size else new_walks(2 * wanted, walks.starting.size - 1)


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
    return np.float64(mixed(state.random) >> np.uint64(11)) * 2.0**-53


@njit_inner
def ways(
    edges: Edges, scratch: Scratch, query: Query, walks: Walks, node: int, left: int, share: float
) -> tuple[float, int]:
    """How many walks of `left` edges lead from a node to the target, and the edge at which they exceed `share`."""
    total, chosen = 0.0, -1
    base, width = scratch.state[0].base, scratch.state[0].cutoff + 1
    for k in range(edges.leaving_starts[node], edges.leaving_starts[node + 1]):
        edge = edges.leaving[k]
        end = edges.targets[edge]
        if not base <= scratch.backward[end] < base + left or (query.simple and end == node != query.target):
            continue
        if edges.facts[edge] == query.hidden or edges.repeats[edge]:
            continue
        count = walks.counts[scratch.place[end] * width + left - 1]
        if count > 0.0:
            total += count
            chosen = edge
            if total > share:
                break
    return total, chosen


@njit_inner
def count_walks(edges: Edges, scratch: Scratch, query: Query, walks: Walks) -> None:
    """Count the walks, shortest first; none are counted from nodes too far from the source."""
    state, front, size = scratch.state[0], scratch.sides[0], scratch.sides[1].right
    width = state.cutoff + 1
    for row in range(size):
        scratch.place[scratch.back[row]] = row
    walks.counts[0] = 1.0  # the target itself, no edge left
    walks.exponents[0] = 0.0
    for length in range(width):
        walks.starting[length] = 0.0
    # A simple path has no more edges than there are nodes for it to arrive at.
    longest = min(state.cutoff, size) if query.simple else state.cutoff
    for left in range(1, longest + 1):
        walks.starting[left] = ways(edges, scratch, query, walks, query.source, left, np.inf)[0]
        largest, row = 0.0, 0
        while row < size and scratch.backward[scratch.back[row]] <= state.base + left:
            node = scratch.back[row]
            known = scratch.forward[node] >= state.base
            gone = scratch.forward[node] - state.base if known else front.level + 1
            count = 0.0
            if gone + left <= longest and not (query.simple and node == query.target):
                count = ways(edges, scratch, query, walks, node, left, np.inf)[0]
            walks.counts[row * width + left] = count
            largest = max(largest, count)
            row += 1
        walks.exponents[left] = walks.exponents[left - 1]
        if largest > LARGE:
            walks.exponents[left] += 300.0
            for k in range(row):
                walks.counts[k * width + left] /= LARGE
    weigh_lengths(scratch, query, walks)


@njit_inner
def weigh_lengths(scratch: Scratch, query: Query, walks: Walks) -> None:
    """The walks of each length in one unit, that of the longest there are."""
    cutoff, unit = scratch.state[0].cutoff, 0.0
    for length in range(1, cutoff + 1):
        if walks.starting[length] > 0.0:
            unit = walks.exponents[length - 1]
    for length in range(1, cutoff + 1):
        walks.weights[length] = 0.0
        if walks.starting[length] > 0.0 and not (length == 1 and query.skip_direct):
            walks.weights[length] = walks.starting[length] * 2.0 ** (walks.exponents[length - 1] - unit)


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
def draw_walk(edges: Edges, scratch: Scratch, query: Query, walks: Walks, length: int) -> bool:
    """Draw a walk of that length into `walks.nodes` and `walks.edges`; False where it is no admissible path."""
    nodes, path, visited, used = walks.nodes, walks.edges, scratch.visited, scratch.used
    state = scratch.state[0]
    nodes[0] = query.source
    visited[query.source] = True
    taken, admitted = 0, True
    while admitted and taken < length:
        node, left = nodes[taken], length - taken
        total = walks.starting[left]
        if taken > 0:
            stored = walks.counts[scratch.place[node] * (state.cutoff + 1) + left]
            total = stored * 2.0 ** (walks.exponents[left] - walks.exponents[left - 1])
        edge = ways(edges, scratch, query, walks, node, left, random(scratch) * total)[1]
        state.steps -= edges.leaving_starts[node + 1] - edges.leaving_starts[node]
        end, fact = edges.targets[edge], edges.facts[edge]
        admitted = not used[fact] and not (query.simple and visited[end] and left > 1)
        if admitted:
            path[taken], nodes[taken + 1] = edge, end
            used[fact], visited[end] = True, True
            taken += 1
    for k in range(taken):
        used[edges.facts[path[k]]], visited[nodes[k + 1]] = False, False
    visited[query.source] = False
    return admitted


@njit_inner
def draw(edges: Edges, scratch: Scratch, query: Query, walks: Walks) -> int:
    """Draw a path, all relation sequences being equally likely, and return its length; 0 when out of steps."""
    while scratch.state[0].steps > 0:
        length = draw_length(scratch, walks)
        if length == 0:
            return 0
        if not draw_walk(edges, scratch, query, walks, length):
            continue
        for k in range(length):
            scratch.pattern[k] = edges.relations[walks.edges[k]]
        # Kept with probability 1/m; the threshold comes first, so that counting can stop as soon as m exceeds it.
        threshold = 1.0 / (1.0 - random(scratch))
        begin(edges, scratch, query, length, True)
        paths, outcome = 0, 1
        while outcome > 0 and paths <= threshold:
            outcome = next_path(edges, scratch, query)
            paths += 1 if outcome > 0 else 0
        unwind(edges, scratch)
        if outcome == 0:
            return length
    return 0
