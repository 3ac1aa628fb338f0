"""Compiled kernels that follow bodies once for all questions about an entity, then hide the fact of each.

A question must not use its own fact, `source -step-> answer`. To follow the bodies anew for each question takes a
thousand walks where an entity has a thousand answers. So they are followed once with nothing hidden, `follow_unmasked`,
and for each question only what hiding changes is, `apply_mask`. There are three changes:

- the first step does not lead to the answer; each of the others becomes `degree / (degree - 1)` times as likely;
- so does what is led to from the answer along the inverse step, `into / (into - 1)` times for `into` edges there;
- and the way back, by as much, where a later step along the relation leads to the answer.

All of them begin at the answer, and what follows from them is linear. How often bodies lead somewhere are whole
numbers, so what no longer leads there is told without rounding.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner, njit_shared
from r5.chains.features.walk_kernels import Reached, Walker, spread
from r5.chains.graph.step_kernels import Mask, Steps, Trie, row_of

__all__ = ["UnmaskedWalks", "apply_mask", "follow_unmasked"]

Array = NDArray[Any]


class UnmaskedWalks(NamedTuple):
    """What bodies lead to with nothing hidden."""

    prefixes: Array  # the places in the trie of those that lead somewhere, in order
    uses: Array  # [prefixes], the rule in `reached` that each is the body of, or -1
    size: Array  # [1], how many prefixes there are
    at_answers: Array  # [prefixes, questions, 2], ahead and back at the answer of each question, 0 for not there
    reached: Reached  # with ahead, ways and back themselves


@njit_shared
def follow_unmasked(
    steps: Steps,
    trie: Trie,
    start: int,
    answers: Array,
    first: int,
    last: int,
    frontier: int,
    walker: Walker,
    whole: UnmaskedWalks,
) -> None:
    """Follow the bodies for the questions from `first` to `last`, which are all about `start`."""
    place, rules, entries, number = int64(0), int64(0), int64(0), int64(0)
    reached, cells, nothing = whole.reached, walker.cells, Mask(int64(-1), int64(-1), int64(-1))
    reached.starts[0] = 0
    while place < trie.steps.size:
        depth, step = int64(trie.depths[place]), int64(trie.steps[place])
        row = row_of(steps, start, step) if depth == 0 else int64(-1)
        size = int64(0)
        if depth > 0 or row >= 0:
            size = spread(steps, start, row, step, depth, nothing, frontier, walker)
        if size <= 0:
            place = trie.following[place]
            continue
        walker.sizes[depth] = size
        for query in range(first, last):
            answer, column = answers[query], query - first
            is_there = cells[depth, answer, 0] == walker.stamp[0]
            whole.at_answers[number, column, 0] = cells[depth, answer, 2] if is_there else 0.0
            whole.at_answers[number, column, 1] = cells[depth, answer, 3] if is_there else 0.0
        whole.prefixes[number] = place
        whole.uses[number] = -1
        if trie.rules[place] >= 0:
            whole.uses[number] = rules
            for i in range(size):
                target = walker.found[depth, i]
                reached.entities[entries] = target
                reached.features[entries, 0] = cells[depth, target, 2]
                reached.features[entries, 1] = cells[depth, target, 1]
                reached.features[entries, 2] = cells[depth, target, 3]
                entries += 1
            reached.rules[rules] = trie.rules[place]
            rules += 1
            reached.starts[rules] = entries
        number += 1
        place += 1
    whole.size[0] = number


@njit_inner
def change(walker: Walker, depth: int, entity: int, groundings: float, forward: float, back: float, size: int) -> int:
    """Add to what changes at an entity; the new number of entities where something does."""
    cells = walker.cells
    if cells[depth, entity, 0] != walker.stamp[0]:
        cells[depth, entity, 0] = walker.stamp[0]
        cells[depth, entity, 1] = 0.0
        cells[depth, entity, 2] = 0.0
        cells[depth, entity, 3] = 0.0
        walker.found[depth, size] = entity
        size += 1
    cells[depth, entity, 1] += groundings
    cells[depth, entity, 2] += forward
    cells[depth, entity, 3] += back
    return int64(size)


@njit_shared
def pass_on(steps: Steps, mask: Mask, stretch: float, extra: float, step: int, depth: int, walker: Walker) -> int:
    """What changes after a step, from what changes before it; `extra` is what is more ahead at the answer."""
    cells, start = walker.cells, mask.source
    is_asked, is_back = step == mask.step, step == steps.inverse[mask.step]
    has_answer = extra == 0.0
    size, before = int64(0), int64(walker.sizes[depth - 1])
    for i in range(before + 1):
        if i < before:
            node = int64(walker.found[depth - 1, i])
            groundings, forward, back = cells[depth - 1, node, 1], cells[depth - 1, node, 2], cells[depth - 1, node, 3]
        elif has_answer:
            break
        else:
            node, groundings, forward, back = int64(mask.target), 0.0, 0.0, 0.0
        if node == mask.target:
            has_answer = True
            if is_back:
                forward = forward * stretch + extra
        row = row_of(steps, node, step)
        if row < 0:
            continue
        forward /= steps.row_offsets[row + 1] - steps.row_offsets[row]
        for edge in range(steps.row_offsets[row], steps.row_offsets[row + 1]):
            target = int64(steps.targets[edge])
            if target != start:
                after = back / steps.back[edge]
                if is_asked and target == mask.target:
                    after *= stretch
                size = change(walker, depth, target, groundings, forward, after, size)
    return size


@njit_inner
def add_rule(
    whole: UnmaskedWalks,
    use: int,
    likelier: float,
    depth: int,
    changed: int,
    walker: Walker,
    reached: Reached,
    rules: int,
) -> int:
    """Enter what a rule leads to, with what changes; the new number of rules."""
    cells, stamp, own = walker.cells, walker.stamp[0], whole.reached
    entries = reached.starts[rules]
    for entry in range(own.starts[use], own.starts[use + 1]):
        target = own.entities[entry]
        forward, groundings, back = own.features[entry, 0], own.features[entry, 1], own.features[entry, 2]
        if changed > 0 and cells[depth, target, 0] == stamp:
            groundings += cells[depth, target, 1]
            if groundings == 0.0:
                continue
            forward = max(forward + cells[depth, target, 2], 0.0)
            back = max(back + cells[depth, target, 3], 0.0)
        reached.entities[entries] = target
        reached.features[entries, 0] = np.sqrt(forward * likelier)
        reached.features[entries, 1] = groundings
        reached.features[entries, 2] = back
        entries += 1
    if entries == reached.starts[rules]:
        return int64(rules)
    reached.rules[rules] = own.rules[use]
    reached.starts[rules + 1] = entries
    return int64(rules + 1)


@njit_shared
def apply_mask(
    steps: Steps, trie: Trie, whole: UnmaskedWalks, column: int, mask: Mask, walker: Walker, reached: Reached, kept: int
) -> int:
    """Fill `reached`, of which the first `kept` rules stay, with the whole but for a fact; the number of rules.

    The fact leads to another entity than the source.
    """
    row = row_of(steps, mask.source, mask.step)
    degree, edges, into = steps.row_offsets[row + 1] - steps.row_offsets[row], 0.0, 1.0
    for edge in range(steps.row_offsets[row], steps.row_offsets[row + 1]):
        if steps.targets[edge] == mask.target:  # twice, where a symmetric relation has the fact both ways
            edges += 1.0
            into = float(steps.back[edge])
    stretch = into / (into - 1.0) if into > 1.0 else 1.0
    likelier, rules = 1.0, int64(kept)
    if kept == 0:
        reached.starts[0] = 0
    for number in range(whole.size[0]):
        place = whole.prefixes[number]
        depth, step = int64(trie.depths[place]), int64(trie.steps[place])
        walker.stamp[0] += 1
        size = int64(0)
        if depth > 0:
            extra = 0.0
            if step == steps.inverse[mask.step]:
                extra = whole.at_answers[int64(walker.levels[depth - 1]), column, 0] * (stretch - 1.0)
            size = pass_on(steps, mask, stretch, extra, step, depth, walker)
            back = whole.at_answers[number, column, 1]
            if step == mask.step and back * (stretch - 1.0) > 0.0:
                size = change(walker, depth, mask.target, 0.0, 0.0, back * (stretch - 1.0), size)
        else:
            likelier = 1.0
            if step == mask.step:
                likelier = degree / max(degree - 1.0, 1.0)
                back = ((edges - 1.0) * stretch - edges) / into
                size = change(walker, depth, mask.target, -1.0, -1.0 / degree, back, size)
        walker.sizes[depth] = size
        walker.levels[depth] = number
        if whole.uses[number] >= 0:
            rules = add_rule(whole, int64(whole.uses[number]), likelier, depth, size, walker, reached, rules)
    return rules
