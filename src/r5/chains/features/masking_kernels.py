"""Compiled kernels that follow bodies once for all queries of an entity, then mask the fact of each query.

A query must not use its own fact, `source -step-> answer`. Following the bodies anew for each query takes a thousand
walks for an entity with a thousand answers. `follow_unmasked` follows them once without a mask, and `apply_mask`
computes the change that the mask of one query makes. There are three changes:

- The first step does not lead to the answer; each other target becomes `degree / (degree - 1)` times as likely.
- Targets of the answer along the inverse step become `into / (into - 1)` times as likely for `into` edges there.
- The backward probability changes by the same factor if a later step along the relation leads to the answer.

All changes start at the answer and are linear from there. Numbers of groundings are whole numbers, so entities that
lose all groundings are detected without rounding errors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner, njit_shared
from r5.chains.features.walk_kernels import GraphWalk, Reached, Walker, place_of, spread
from r5.chains.graph.step_kernels import Mask, Steps, Trie, row_of

__all__ = ["UnmaskedWalks", "apply_mask", "follow_unmasked"]

Array = NDArray[Any]


class UnmaskedWalks(NamedTuple):
    """Walks of all bodies from one entity without a mask."""

    prefixes: Array  # [prefixes], positions in the trie of the prefixes that reach an entity, sorted
    uses: Array  # [prefixes], position in `reached` of the rule whose body the prefix is, or -1
    size: Array  # [1], number of prefixes
    at_answers: Array  # [prefixes, queries, 2], forward and backward probability at each answer, 0 if not reached
    reached: Reached  # features, [entries, 3]: forward and backward probability, groundings


@njit_shared
def follow_unmasked(
    walk: GraphWalk, trie: Trie, start: int, answers: Array, first: int, last: int, unmasked: UnmaskedWalks
) -> None:
    """Follow the bodies for the queries of one source.

    Args:
        walk: The graph and the scratch arrays.
        trie: The bodies.
        start: The source of these queries.
        answers: Answer of each query, [queries].
        first: First query of the source.
        last: One more than the last query of the source.
        unmasked: Output.
    """
    prefix, rules, entries, number = int64(0), int64(0), int64(0), int64(0)
    walker, reached, nothing = walk.walker, unmasked.reached, Mask(int64(-1), int64(-1), int64(-1))
    values = walker.values
    reached.starts[0] = 0
    while prefix < trie.steps.size:
        depth, step = int64(trie.depths[prefix]), int64(trie.steps[prefix])
        size = spread(walk, start, step, depth, nothing)
        if size <= 0:
            prefix = trie.following[prefix]
            continue
        walker.sizes[depth] = size
        for query in range(first, last):
            answer, column = answers[query], query - first
            place = place_of(walker, depth, answer, size)
            unmasked.at_answers[number, column, 0] = values[depth, place, 1] if place >= 0 else 0.0
            unmasked.at_answers[number, column, 1] = values[depth, place, 2] if place >= 0 else 0.0
        unmasked.prefixes[number] = prefix
        unmasked.uses[number] = -1
        if trie.rules[prefix] >= 0:
            unmasked.uses[number] = rules
            for i in range(size):
                reached.entities[entries] = walker.found[depth, i]
                reached.features[entries, 0] = values[depth, i, 1]
                reached.features[entries, 1] = values[depth, i, 2]
                reached.features[entries, 2] = values[depth, i, 0]
                entries += 1
            reached.rules[rules] = trie.rules[prefix]
            rules += 1
            reached.starts[rules] = entries
        number += 1
        prefix += 1
    unmasked.size[0] = number


@njit_inner
def add_change(
    walker: Walker, depth: int, entity: int, groundings: float, forward: float, back: float, size: int
) -> int:
    """Add to the changes at an entity; return the number of entities with changes."""
    values, place = walker.values, place_of(walker, depth, entity, size)
    if place < 0:
        place = int64(size)
        walker.found[depth, size] = entity
        walker.places[depth, entity] = size
        values[depth, size, 0] = 0.0
        values[depth, size, 1] = 0.0
        values[depth, size, 2] = 0.0
        size += 1
    values[depth, place, 0] += groundings
    values[depth, place, 1] += forward
    values[depth, place, 2] += back
    return int64(size)


@njit_shared
def propagate_changes(
    steps: Steps, mask: Mask, factor: float, extra: float, step: int, depth: int, walker: Walker
) -> int:
    """Extend the changes by one step; `extra` is the additional forward probability at the answer."""
    values, start, edges = walker.values, mask.source, steps.by_step
    is_query_step, is_inverse_step = step == mask.step, step == steps.inverse[mask.step]
    has_answer = extra == 0.0
    size, previous = int64(0), int64(walker.sizes[depth - 1])
    for i in range(previous + 1):
        if i < previous:
            node = int64(walker.found[depth - 1, i])
            groundings, forward, back = values[depth - 1, i, 0], values[depth - 1, i, 1], values[depth - 1, i, 2]
        elif has_answer:
            break
        else:
            node, groundings, forward, back = int64(mask.target), 0.0, 0.0, 0.0
        if node == mask.target:
            has_answer = True
            if is_inverse_step:
                forward = forward * factor + extra
        row = row_of(edges, node, step)
        if row < 0:
            continue
        forward /= edges.offsets[row + 1] - edges.offsets[row]
        for edge in range(edges.offsets[row], edges.offsets[row + 1]):
            target = int64(edges.targets[edge])
            if target != start:
                after = back / edges.back[edge]
                if is_query_step and target == mask.target:
                    after *= factor
                size = add_change(walker, depth, target, groundings, forward, after, size)
    return size


@njit_inner
def add_rule(
    unmasked: UnmaskedWalks,
    use: int,
    scale: float,
    depth: int,
    changed: int,
    walker: Walker,
    reached: Reached,
    rules: int,
) -> int:
    """Add the entities that a rule reaches, with their changes applied; return the number of rules."""
    own = unmasked.reached
    entries = reached.starts[rules]
    for entry in range(own.starts[use], own.starts[use + 1]):
        target = own.entities[entry]
        forward, back, groundings = own.features[entry, 0], own.features[entry, 1], own.features[entry, 2]
        place = place_of(walker, depth, int64(target), changed)
        if place >= 0:
            groundings += walker.values[depth, place, 0]
            if groundings == 0.0:
                continue
            forward = max(forward + walker.values[depth, place, 1], 0.0)
            back = max(back + walker.values[depth, place, 2], 0.0)
        reached.entities[entries] = target
        reached.features[entries, 0] = np.sqrt(forward * scale)
        reached.features[entries, 1] = back
        entries += 1
    if entries == reached.starts[rules]:
        return int64(rules)
    reached.rules[rules] = own.rules[use]
    reached.starts[rules + 1] = entries
    return int64(rules + 1)


@njit_shared
def apply_mask(
    walk: GraphWalk, trie: Trie, unmasked: UnmaskedWalks, column: int, mask: Mask, reached: Reached, kept: int
) -> int:
    """Compute the entities that the bodies reach without the fact of one query.

    Args:
        walk: The graph and the scratch arrays.
        trie: The bodies.
        unmasked: Walks of the bodies without a mask.
        column: Column of the query in `unmasked.at_answers`.
        mask: The fact of the query, which is no self loop.
        reached: Output with raw features; its first `kept` rules stay.
        kept: Number of rules in `reached`.

    Returns:
        The number of rules in `reached`.
    """
    steps, walker = walk.steps, walk.walker
    by_step = steps.by_step
    row = row_of(by_step, mask.source, mask.step)
    degree, edges, into = by_step.offsets[row + 1] - by_step.offsets[row], 0.0, 1.0
    for edge in range(by_step.offsets[row], by_step.offsets[row + 1]):
        if by_step.targets[edge] == mask.target:  # two edges if a symmetric relation holds the fact in both directions
            edges += 1.0
            into = float(by_step.back[edge])
    factor = into / (into - 1.0) if into > 1.0 else 1.0
    scale, rules = 1.0, int64(kept)
    if kept == 0:
        reached.starts[0] = 0
    for number in range(unmasked.size[0]):
        prefix = unmasked.prefixes[number]
        depth, step = int64(trie.depths[prefix]), int64(trie.steps[prefix])
        size = int64(0)
        if depth > 0:
            extra = 0.0
            if step == steps.inverse[mask.step]:
                extra = unmasked.at_answers[int64(walker.levels[depth - 1]), column, 0] * (factor - 1.0)
            size = propagate_changes(steps, mask, factor, extra, step, depth, walker)
            back = unmasked.at_answers[number, column, 1]
            if step == mask.step and back * (factor - 1.0) > 0.0:
                size = add_change(walker, depth, mask.target, 0.0, 0.0, back * (factor - 1.0), size)
        else:
            scale = 1.0
            if step == mask.step:
                scale = degree / max(degree - 1.0, 1.0)
                back = ((edges - 1.0) * factor - edges) / into
                size = add_change(walker, depth, mask.target, -1.0, -1.0 / degree, back, size)
        walker.sizes[depth] = size
        walker.levels[depth] = number
        if unmasked.uses[number] >= 0:
            rules = add_rule(unmasked, int64(unmasked.uses[number]), scale, depth, size, walker, reached, rules)
    return rules
