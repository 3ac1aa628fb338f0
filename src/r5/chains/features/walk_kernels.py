"""Compiled kernels that follow all bodies of a trie from one entity.

For each rule and each entity that its body leads to: in how many ways (groundings), how likely a random walk along
the body ends there, and how likely one back from there ends at the start. Walks do not come back to the start.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner, njit_shared
from r5._util.kernels.elementary_kernels import log
from r5.chains.graph.step_kernels import Mask, Steps, Trie, degree, row_of

__all__ = ["DEEPEST", "Reached", "Walker", "follow", "ground", "new_walker", "spread"]

Array = NDArray[Any]
DEEPEST = 5
"""The longest body."""
LOGS = np.append(0.0, log(np.arange(1.0, 21.0)))
"""The logarithms of whole numbers that are below 3: looked up, as they are asked for very often."""


class Walker(NamedTuple):
    """Room for the entities that each prefix on the way leads to."""

    # [depths, entities, 4], side by side as they are used together: the stamp of a prefix where it leads to the
    # entity, in how many ways, how likely a walk ends there, and how likely one back ends at the start.
    cells: Array
    found: Array  # [depths, frontier], the entities
    sizes: Array  # [depths]
    stamp: Array  # [1], the last one used
    levels: Array  # [depths], the stamps, or the numbers, of the prefixes of one body


class Reached(NamedTuple):
    """What the rules lead to: rule `rules[i]` to `entities[starts[i]:starts[i + 1]]`, with three features each."""

    rules: Array
    starts: Array
    entities: Array
    features: Array  # [entries, 3], square root of ahead, logarithm of ways (at most 3), square root of back; where it
    # is not known yet which entries count, in place of the last two the ways and back themselves


def new_walker(entities: int, frontier: int) -> Walker:
    """Room for a graph of so many entities."""
    workspace = min(frontier, entities) + 1
    return Walker(
        np.zeros((DEEPEST, entities, 4)),
        np.zeros((DEEPEST, workspace), np.uint32),
        np.zeros(DEEPEST, np.int64),
        np.zeros(1),
        np.zeros(DEEPEST),
    )


@njit_inner
def log_groundings(groundings: float) -> float:
    """The logarithm of a whole number, at most 3; of 0, which rules with constants have, 0."""
    return float(LOGS[int64(groundings)]) if groundings < LOGS.size else 3.0


@njit_inner
def advance(
    steps: Steps, node: int, row: int, depth: int, mask: Mask, start: int, frontier: int, walker: Walker, size: int
) -> int:
    """Add where a row leads to the entities of a depth; their new number, or -1 where that is beyond the frontier."""
    cells = walker.cells
    groundings, forward, back = 1.0, 1.0, 1.0
    if depth > 0:
        groundings, forward, back = cells[depth - 1, node, 1], cells[depth - 1, node, 2], cells[depth - 1, node, 3]
    edges = degree(steps, row, mask)
    if edges == 0:
        return size
    forward /= edges
    step, stamp = steps.row_steps[row], walker.stamp[0]
    is_asked = mask.step >= 0 and step == mask.step
    to_mask = 1 if is_asked and node == mask.source else 0
    for edge in range(steps.row_offsets[row], steps.row_offsets[row + 1]):
        target = steps.targets[edge]
        if to_mask > 0 and target == mask.target:
            to_mask = 0
            continue
        if target == start:
            continue
        backward_degree = steps.back[edge] - (1 if is_asked and target == mask.target else 0)
        if cells[depth, target, 0] == stamp:
            cells[depth, target, 1] += groundings
            cells[depth, target, 2] += forward
            cells[depth, target, 3] += back / backward_degree
            continue
        if size >= frontier:
            return int64(-1)
        cells[depth, target, 0] = stamp
        cells[depth, target, 1] = groundings
        cells[depth, target, 2] = forward
        cells[depth, target, 3] = back / backward_degree
        walker.found[depth, size] = target
        size += 1
    return int64(size)


@njit_inner
def spread(steps: Steps, start: int, row: int, step: int, depth: int, mask: Mask, frontier: int, walker: Walker) -> int:
    """Where a step leads from the entities of the depth before, or the `row` from the start: how many, or -1.

    What is found has a new stamp.
    """
    walker.stamp[0] += 1
    size = int64(0)
    for i in range(walker.sizes[depth - 1] if depth > 0 else 1):
        node = int64(walker.found[depth - 1, i]) if depth > 0 else int64(start)
        own = row_of(steps, node, step) if depth > 0 else int64(row)
        if own >= 0:
            size = advance(steps, node, own, depth, mask, int64(start), frontier, walker, size)
            if size < 0:
                break
    return size


@njit_shared
def follow(
    steps: Steps,
    trie: Trie,
    start: int,
    mask: Mask,
    frontier: int,
    walker: Walker,
    reached: Reached,
    kept: int,
    plainly: bool,
) -> int:
    """Fill `reached`, of which the first `kept` rules stay, with what each rule leads to; the number of rules.

    There must be room for as many entities as the frontier allows, for each rule. `plainly`: ways and back themselves,
    for whoever keeps few of them; roots and logarithms of all would take longer than the walks.
    """
    place, rules = int64(0), int64(kept)
    entries = int64(reached.starts[kept]) if kept > 0 else int64(0)
    reached.starts[kept] = entries
    first, last = int64(steps.node_rows[start]), int64(steps.node_rows[start + 1])
    while place < trie.steps.size:
        depth, step = int64(trie.depths[place]), int64(trie.steps[place])
        if depth == 0:
            # The start's rows and the first steps are both in order: most of what one lacks is never looked at.
            while first < last and steps.row_steps[first] < step:
                first += 1
            if first == last or steps.row_steps[first] >= trie.roots.size:
                break
            if steps.row_steps[first] > step:
                place = int64(trie.roots[steps.row_steps[first]])
                continue
        size = spread(steps, start, first, step, depth, mask, frontier, walker)
        if size <= 0:
            place = trie.following[place]
            continue
        walker.sizes[depth] = size
        if trie.rules[place] >= 0:
            for i in range(size):
                target = walker.found[depth, i]
                reached.entities[entries] = target
                groundings, back = walker.cells[depth, target, 1], walker.cells[depth, target, 3]
                reached.features[entries, 0] = np.sqrt(walker.cells[depth, target, 2])
                reached.features[entries, 1] = groundings if plainly else log_groundings(groundings)
                reached.features[entries, 2] = back if plainly else np.sqrt(back)
                entries += 1
            reached.rules[rules] = trie.rules[place]
            rules += 1
            reached.starts[rules] = entries
        place += 1
    return rules


@njit_free
def ground(
    steps: Steps, body: Array, start: int, end: int, mask: Mask, frontier: int, walker: Walker, way: Array
) -> float:
    """In how many ways a body leads from `start` to `end`; `way` becomes the entities of one of them."""
    stamps = walker.levels
    for depth in range(body.size):
        step = int64(body[depth])
        row = row_of(steps, int64(start), step)
        size = spread(steps, int64(start), row, step, int64(depth), mask, frontier, walker)
        stamps[depth] = walker.stamp[0]
        if size <= 0:
            return 0.0
        walker.sizes[depth] = size
    last = body.size - 1
    if walker.cells[last, end, 0] != stamps[last]:
        return 0.0
    way[0], way[last + 1] = start, end
    for depth in range(last, 0, -1):
        row = row_of(steps, int64(way[depth + 1]), int64(steps.inverse[body[depth]]))
        for edge in range(steps.row_offsets[row], steps.row_offsets[row + 1]):
            node = steps.targets[edge]
            if walker.cells[depth - 1, node, 0] == stamps[depth - 1]:
                way[depth] = node
                break
    return float(walker.cells[last, end, 1])
