"""Compiled kernels that find the bodies of rules: the simple paths from an entity to the answer, the fact hidden.

They meet in the middle: all endings of one and two edges into the answer, then forwards from the entity. A body is
a number whose digits, to the base of the number of steps + 1 and from the lowest on, are its steps + 1.

Of an entity with very many edges every nth is followed, from another one on for each question, and counts for n.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner, njit_shared
from r5.chains.graph.step_kernels import Mask, Steps, degree, row_of

__all__ = ["Bodies", "Endings", "mine"]

Array = NDArray[Any]


class Bodies(NamedTuple):
    """What is known about each body, in a table by its hash."""

    keys: Array  # [a power of two], 0 where free
    scores: Array  # how likely random walks along the body end at the answers, summed over the questions
    supports: Array  # in how many questions
    last: Array  # the last of them
    filled: Array  # [room], the slots in use
    size: Array  # [1], how many these are


class Endings(NamedTuple):
    """The last one or two edges of paths: those from entity v are linked from `heads[v]` over `following`."""

    heads: Array  # [entities], -1 for none
    following: Array
    starts: Array
    middles: Array  # the entity between two edges, -1 for one edge
    first: Array  # the step of the first edge + 1
    second: Array  # that of the second + 1, 0 for one edge
    chances: Array  # how likely a walk takes these edges
    scratch: Array  # [6, 6], for the way forwards: entities, rows, edges, strides, and what the body is so far
    way_chances: Array  # [6]


@njit_inner
def add_ending(endings: Endings, size: int, start: int, middle: int, first: int, second: int, chance: float) -> int:
    """Enter one ending where there is room."""
    if size >= endings.following.size:
        return size
    endings.starts[size] = start
    endings.middles[size] = middle
    endings.first[size] = first
    endings.second[size] = second
    endings.chances[size] = chance
    endings.following[size] = endings.heads[start]
    endings.heads[start] = size
    return size + 1


@njit_inner
def chance_of(steps: Steps, node: int, step: int, mask: Mask) -> float:
    """How likely a walk takes one particular edge of an entity and step."""
    return 1.0 / degree(steps, row_of(steps, node, step), mask)


@njit_inner
def number_of_edges(steps: Steps, node: int) -> int:
    """How many edges an entity has; they stand side by side."""
    return int64(steps.row_offsets[steps.node_rows[node + 1]] - steps.row_offsets[steps.node_rows[node]])


@njit_shared
def find_endings(steps: Steps, mask: Mask, length: int, endings: Endings, query: int, fan: int, most: int) -> int:
    """The endings into the hidden edge's target, about `most` of them; how many."""
    start, answer, size = int64(mask.source), int64(mask.target), int64(0)
    every = number_of_edges(steps, answer)
    stride = 1 + every // fan
    workspace = max(most // min(every, fan), 1)
    edge = steps.row_offsets[steps.node_rows[answer]] + query % stride
    for row in range(steps.node_rows[answer], steps.node_rows[answer + 1]):
        second = steps.inverse[steps.row_steps[row]]
        while edge < steps.row_offsets[row + 1]:
            here = edge
            edge += stride
            middle = int64(steps.targets[here])
            if middle == answer:
                continue
            # Of two edges to the start, which are neighbours, one is hidden.
            is_first = here == steps.row_offsets[row] or steps.targets[here - 1] != start
            if middle == start and second == mask.step and is_first:
                continue
            if size >= endings.following.size:
                return size
            chance = stride * chance_of(steps, middle, second, mask)
            size = add_ending(endings, size, middle, int64(-1), second + 1, int64(0), chance)
            if length >= 3 and middle != start:
                inner = 1 + number_of_edges(steps, middle) // workspace
                size = lengthen(steps, mask, middle, second, chance, inner, query, endings, size)
    return size


@njit_inner
def lengthen(
    steps: Steps,
    mask: Mask,
    middle: int,
    second: int,
    chance: float,
    stride: int,
    query: int,
    endings: Endings,
    size: int,
) -> int:
    """Enter the endings of two edges whose second one is given; the new number of endings."""
    start, answer = int64(mask.source), int64(mask.target)
    edge = steps.row_offsets[steps.node_rows[middle]] + query % stride
    for row in range(steps.node_rows[middle], steps.node_rows[middle + 1]):
        first = steps.inverse[steps.row_steps[row]]
        while edge < steps.row_offsets[row + 1]:
            node = int64(steps.targets[edge])
            edge += stride
            if node != start and node != answer and node != middle:  # noqa: PLR1714
                both = stride * chance * chance_of(steps, node, first, mask)
                size = add_ending(endings, size, node, middle, first + 1, second + 1, both)
    return size


@njit_inner
def count(bodies: Bodies, key: int, chance: float, query: int) -> None:
    """Add one path to its body, where there is room for it."""
    mask = bodies.keys.size - 1
    slot = int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & mask
    while bodies.keys[slot] != 0 and bodies.keys[slot] != key:
        slot = (slot + 1) & mask
    if bodies.keys[slot] == 0:
        if bodies.size[0] >= bodies.filled.size:
            return
        bodies.keys[slot] = key
        bodies.filled[bodies.size[0]] = slot
        bodies.size[0] += 1
    bodies.scores[slot] += chance
    if bodies.last[slot] != query:
        bodies.last[slot] = query
        bodies.supports[slot] += 1


@njit_shared
def join(
    endings: Endings,
    node: int,
    depth: int,
    way: Array,
    key: int,
    scale: int,
    base: int,
    chance: float,
    length: int,
    bodies: Bodies,
    query: int,
) -> int:
    """Count the paths that come to `node` over `depth` edges and end in one of its endings; how many were looked at."""
    work = int64(0)
    ending = endings.heads[node]
    while ending >= 0:
        work += 1
        edges = 2 if endings.second[ending] > 0 else 1
        # Endings of one edge are for paths of one and two edges: longer ones are found with the other endings.
        fits = depth + edges <= length and (edges == 2 or depth <= 1)
        for i in range(1, depth):
            fits = fits and way[i] != endings.middles[ending]
        if fits:
            body = key + endings.first[ending] * scale
            if edges == 2:
                body += endings.second[ending] * scale * base
            count(bodies, body, chance * endings.chances[ending], query)
        ending = endings.following[ending]
    return work


@njit_shared
def search(
    steps: Steps, mask: Mask, length: int, work: int, endings: Endings, bodies: Bodies, query: int, fan: int
) -> int:
    """Go forwards from the start, depth first, and join with the endings; the part of `work` that is left."""
    base = int64(steps.inverse.size + 1)
    deepest = max(length - 2, 1)
    way, rows, edges = endings.scratch[0], endings.scratch[1], endings.scratch[2]
    keys, scales, strides, chances = endings.scratch[3], endings.scratch[4], endings.scratch[5], endings.way_chances
    keys[0], scales[0], chances[0] = 0, 1, 1.0
    start, answer = int64(mask.source), int64(mask.target)
    join(endings, start, int64(0), way, int64(0), int64(1), base, 1.0, length, bodies, query)
    depth = 0
    way[0], rows[0] = start, steps.node_rows[start]
    strides[0] = 1 + number_of_edges(steps, start) // fan
    edges[0] = steps.row_offsets[rows[0]] + query % strides[0]
    while depth >= 0 and work > 0:
        node, row = way[depth], rows[depth]
        if row >= steps.node_rows[node + 1]:
            depth -= 1
            continue
        if edges[depth] >= steps.row_offsets[row + 1]:
            rows[depth] += 1
            continue
        target = int64(steps.targets[edges[depth]])
        edges[depth] += strides[depth]
        work -= 1
        is_new = target != answer
        for i in range(depth + 1):
            is_new = is_new and way[i] != target
        if not is_new:
            continue
        chance = strides[depth] * chances[depth] / degree(steps, row, mask)
        key = keys[depth] + (int64(steps.row_steps[row]) + 1) * scales[depth]
        scale = scales[depth] * base
        depth += 1
        way[depth] = target
        work -= join(endings, target, depth, way, key, scale, base, chance, length, bodies, query)
        if depth < deepest:
            rows[depth] = steps.node_rows[target]
            strides[depth] = 1 + number_of_edges(steps, target) // fan
            edges[depth] = steps.row_offsets[rows[depth]] + query % strides[depth]
            chances[depth], keys[depth], scales[depth] = chance, key, scale
        else:
            depth -= 1
    return work


@njit_free
def mine(
    steps: Steps,
    sources: Array,
    step: int,
    answers: Array,
    first: int,
    length: int,
    work: int,
    most: int,
    fan: int,
    endings: Endings,
    bodies: Bodies,
) -> int:
    """Count the bodies of some questions, which are numbered from `first` on; the part of `work` that is left.

    One question takes about twice `most` of it; of entities with more edges than `fan`, no more are followed.
    """
    left = int64(work)
    for i in range(sources.size):
        mask = Mask(int64(sources[i]), int64(step), int64(answers[i]))
        if mask.source == mask.target:
            continue
        if left <= 0:
            break
        size = find_endings(steps, mask, length, endings, int64(first + i), fan, most)
        left -= size
        allowed = min(left, most)
        left += search(steps, mask, length, allowed, endings, bodies, int64(first + i), fan) - allowed
        for ending in range(size):
            endings.heads[endings.starts[ending]] = -1
    return left
