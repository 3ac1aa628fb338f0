"""Compiled kernels that follow all bodies of a trie from one entity.

For each rule and each entity that its body reaches, they compute the number of groundings, the probability that a
random walk along the body ends there, and the probability that a walk back from there ends at the start. Walks do not
return to the start.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner, njit_shared
from r5.chains.graph.step_kernels import Mask, Steps, Trie, count_masked, find_row, row_of

__all__ = [
    "DEEPEST",
    "GraphWalk",
    "Reached",
    "Walker",
    "follow",
    "ground",
    "new_walker",
    "next_rule",
    "place_of",
    "spread",
]

Array = NDArray[Any]
DEEPEST = 5
"""Maximum length of a body."""


class Walker(NamedTuple):
    """Scratch arrays of walks: the entities that each prefix of the current body reaches, as sparse sets.

    The values of an entity stand at its place among the entities reached, so that they stay in cache on any graph.
    """

    found: Array  # [depths, frontier], entities reached
    values: Array  # [depths, frontier, 3], of each: groundings, forward walk probability, backward walk probability
    places: Array  # [depths, entities], place of each entity in `found`, any number if it is not reached
    sizes: Array  # [depths], number of entities reached
    levels: Array  # [depths], numbers of the prefixes of one body


class GraphWalk(NamedTuple):
    """Walks over one graph."""

    steps: Steps
    frontier: int  # maximum number of entities that a prefix may reach; longer bodies do not apply
    walker: Walker


class Reached(NamedTuple):
    """Entities that rules reach: rule `rules[i]` reaches `entities[starts[i]:starts[i + 1]]`.

    The features are sqrt(forward probability) and sqrt(backward probability). Raw features have the backward
    probability itself.
    """

    rules: Array  # [uses]
    starts: Array  # [uses + 1]
    entities: Array  # [entries]
    features: Array  # [entries, 2]


def new_walker(entities: int, frontier: int) -> Walker:
    """Return scratch arrays for a graph."""
    size = min(frontier, entities) + 1
    return Walker(
        found=np.zeros((DEEPEST, size), np.uint32),
        values=np.zeros((DEEPEST, size, 3)),
        places=np.zeros((DEEPEST, entities), np.uint32),
        sizes=np.zeros(DEEPEST, np.int64),
        levels=np.zeros(DEEPEST, np.int64),
    )


@njit_inner
def place_of(walker: Walker, depth: int, entity: int, size: int) -> int:
    """Return the place of an entity among the first `size` of a depth, or -1."""
    place = int64(walker.places[depth, entity])
    return place if place < size and walker.found[depth, place] == entity else int64(-1)


@njit_inner
def advance(walk: GraphWalk, i: int, row: int, step: int, depth: int, mask: Mask, start: int, size: int) -> int:
    """Add the targets of a row to the entities of a depth.

    Return the number of entities of the depth, or -1 beyond the frontier. `i` is the place of the entity among those of
    the depth before, `row` its row, and `size` the number of entities of the depth.
    """
    edges, walker = walk.steps.by_step, walk.walker
    found, values, places = walker.found, walker.values, walker.places
    node, groundings, forward, back = int64(start), 1.0, 1.0, 1.0
    if depth > 0:
        node = int64(found[depth - 1, i])
        groundings, forward, back = values[depth - 1, i, 0], values[depth - 1, i, 1], values[depth - 1, i, 2]
    first, last = edges.offsets[row], edges.offsets[row + 1]
    count = last - first - count_masked(walk.steps, node, step, mask)
    if count == 0:
        return size
    forward /= count
    is_query_step = mask.step >= 0 and step == mask.step
    to_mask = 1 if is_query_step and node == mask.source else 0
    for edge in range(first, last):
        target = edges.targets[edge]
        if to_mask > 0 and target == mask.target:
            to_mask = 0
            continue
        backward_degree = edges.back[edge] - (1 if is_query_step and target == mask.target else 0)
        place = places[depth, target]
        if place < size and found[depth, place] == target:
            values[depth, place, 0] += groundings
            values[depth, place, 1] += forward
            values[depth, place, 2] += back / backward_degree
            continue
        if target == start:
            continue
        if size >= walk.frontier:
            return int64(-1)
        found[depth, size] = target
        places[depth, target] = size
        values[depth, size, 0] = groundings
        values[depth, size, 1] = forward
        values[depth, size, 2] = back / backward_degree
        size += 1
    return int64(size)


@njit_inner
def spread(walk: GraphWalk, start: int, step: int, depth: int, mask: Mask) -> int:
    """Extend walks by one step.

    Return the number of entities reached at this depth, or -1 beyond the frontier.
    """
    walker, edges = walk.walker, walk.steps.by_step
    size, first = int64(0), int64(edges.first_slots[step])
    table_mask = int64(edges.first_slots[step + 1] - first - 1)
    if table_mask < 0:
        return size
    for i in range(walker.sizes[depth - 1] if depth > 0 else 1):
        node = int64(walker.found[depth - 1, i]) if depth > 0 else int64(start)
        row = find_row(edges, node, first, table_mask)
        if row >= 0:
            size = advance(walk, int64(i), row, step, depth, mask, int64(start), size)
            if size < 0:
                break
    return size


@njit_inner
def skip_roots(steps: Steps, trie: Trie, prefix: int, row: int, last: int) -> tuple[int, int]:
    """Skip the first steps that the start does not have; its rows and the roots are both sorted.

    Return the next root from `prefix` on whose step the start has, or the end of the trie, and the row to look at next;
    rows from `row` to `last` are left.
    """
    end = int64(trie.steps.size)
    while prefix < end:
        step = trie.steps[prefix]
        while row < last and steps.row_steps[row] < step:
            row += 1
        if row == last or steps.row_steps[row] >= trie.roots.size:
            return end, row
        if steps.row_steps[row] == step:
            break
        prefix = int64(trie.roots[steps.row_steps[row]])
    return prefix, row


@njit_shared
def next_rule(walk: GraphWalk, trie: Trie, start: int, mask: Mask, prefix: int, row: int) -> tuple[int, int, int]:
    """Follow the bodies of a trie up to the next rule that reaches an entity.

    The entities are `found[depth]` of the scratch arrays, for the depth of the body, with their `values`.

    Args:
        walk: The graph and the scratch arrays.
        trie: The bodies.
        start: The start of the walks.
        mask: The masked edge.
        prefix: The first prefix to follow: 0, or the one after the last rule.
        row: The first row of the start to look at: its first, or that of the last call.

    Returns:
        The prefix that is the body of the rule, the row to go on from, and the number of entities reached, 0 if no
        rule is left.
    """
    walker, last, size = walk.walker, int64(walk.steps.node_rows[start + 1]), int64(0)
    while prefix < trie.steps.size:
        if trie.depths[prefix] == 0:
            prefix, row = skip_roots(walk.steps, trie, prefix, row, last)
            if prefix == trie.steps.size:
                break
        depth = int64(trie.depths[prefix])
        size = spread(walk, start, int64(trie.steps[prefix]), depth, mask)
        if size <= 0:
            prefix = int64(trie.following[prefix])
            continue
        walker.sizes[depth] = size
        if trie.rules[prefix] >= 0:
            return prefix, row, size
        prefix += 1
    return prefix, row, int64(0)


@njit_shared
def follow(walk: GraphWalk, trie: Trie, start: int, mask: Mask, reached: Reached, kept: int, raw: bool) -> int:
    """Follow the bodies of a trie.

    Args:
        walk: The graph and the scratch arrays.
        trie: The bodies.
        start: The start of the walks.
        mask: The masked edge.
        reached: Output, with space for as many entities per rule as the frontier allows. Its first `kept` rules stay.
        kept: Number of rules in `reached`.
        raw: Whether to store raw features. Roots for all entities take longer than the walks, so a
            caller that uses few of the entities computes them itself.

    Returns:
        The number of rules in `reached`.
    """
    walker, rules = walk.walker, int64(kept)
    entries = int64(reached.starts[kept]) if kept > 0 else int64(0)
    reached.starts[kept] = entries
    prefix, row, size = next_rule(walk, trie, start, mask, int64(0), int64(walk.steps.node_rows[start]))
    while size > 0:
        depth = trie.depths[prefix]
        for i in range(size):
            reached.entities[entries] = walker.found[depth, i]
            back = walker.values[depth, i, 2]
            reached.features[entries, 0] = np.sqrt(walker.values[depth, i, 1])
            reached.features[entries, 1] = back if raw else np.sqrt(back)
            entries += 1
        reached.rules[rules] = trie.rules[prefix]
        rules += 1
        reached.starts[rules] = entries
        prefix, row, size = next_rule(walk, trie, start, mask, prefix + 1, row)
    return rules


@njit_inner
def is_on_path(path: Array, first: int, node: int) -> bool:
    """Return whether a path has an entity, from a place on."""
    found = False
    for place in range(first, path.size):
        found = found or path[place] == node
    return found


@njit_free
def ground(walk: GraphWalk, body: Array, start: int, end: int, mask: Mask, path: Array) -> float:
    """Count the groundings of a body between two entities.

    Args:
        walk: The graph and the scratch arrays.
        body: Steps of the body, [length].
        start: First entity.
        end: Last entity.
        mask: The masked edge.
        path: Output, the entities of one grounding, [length + 1]. Traced back from the end, it takes an entity that
            it has already only if there is no other one.

    Returns:
        The number of groundings, 0 if a prefix reaches more entities than the frontier allows.
    """
    walker, steps = walk.walker, walk.steps
    for depth in range(body.size):
        step = int64(body[depth])
        size = spread(walk, int64(start), step, int64(depth), mask)
        if size <= 0:
            return 0.0
        walker.sizes[depth] = size
    last = body.size - 1
    end_place = place_of(walker, last, end, walker.sizes[last])
    if end_place < 0:
        return 0.0
    path[0], path[last + 1] = start, end
    edges = steps.by_step
    for depth in range(last, 0, -1):
        row = row_of(edges, int64(path[depth + 1]), int64(steps.inverse[body[depth]]))
        for edge in range(edges.offsets[row], edges.offsets[row + 1]):
            node = edges.targets[edge]
            if place_of(walker, depth - 1, node, walker.sizes[depth - 1]) < 0:
                continue
            path[depth] = node
            if not is_on_path(path, int64(depth + 1), int64(node)):
                break
    return float(walker.values[last, end_place, 0])
