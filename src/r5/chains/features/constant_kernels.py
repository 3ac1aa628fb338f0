"""Compiled kernels for rules with constants: `h(X, c) <= b(X, d)`, and `h(X, c) <=`, which says how usual c is.

Asked for the answers of X, such a rule leads to c; asked whose answer c is, it leads to all that have b to d.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner
from r5.chains.features.walk_kernels import Reached
from r5.chains.graph.step_kernels import Mask, Steps

__all__ = ["ALWAYS", "Constants", "find", "follow_constants"]

Array = NDArray[Any]
ALWAYS = -1
"""The key of rules that hold whatever the source is."""


class Constants(NamedTuple):
    """The rules of one step: those with the key `keys[g]` are `members[starts[g]:starts[g + 1]]`.

    Rule `rules[i]` leads to `entities[first[i]:last[i]]`. Keys of the rules that are read ahead are what the source
    must have, step * entities + entity; those of the rules that are read from their end, the source itself.
    """

    forward: Array  # [groups], in order
    ahead_starts: Array  # [groups + 1]
    back: Array  # [groups], in order
    back_starts: Array  # [groups + 1]
    rules: Array  # [constants], those read ahead first
    ends: Array  # [those read ahead], the entity that each leads to
    rows: Array  # [constants], the row of the graph that has the entities that rules read from their end lead to


@njit_inner
def find(keys: Array, key: int) -> int:
    """The place of a key, or -1."""
    low, high = int64(0), int64(keys.size)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < keys.size and keys[low] == key else int64(-1)


@njit_inner
def masked_end(steps: Steps, mask: Mask, node: int, step: int) -> int:
    """Where the hidden edge leads from an entity with a step, or -1 where it is not one of these."""
    if mask.step >= 0 and node == mask.source and step == mask.step:
        return int64(mask.target)
    if mask.step >= 0 and node == mask.target and step == steps.inverse[mask.step]:
        return int64(mask.source)
    return int64(-1)


@njit_inner
def masked_edges(steps: Steps, mask: Mask) -> int:
    """How many edges of one row the hidden fact is: two where it leads from an entity to itself both ways."""
    return int64(2) if mask.source == mask.target and steps.inverse[mask.step] == mask.step else int64(1)


@njit_inner
def add_rule(
    reached: Reached,
    rules: int,
    rule: int,
    entities: Array,
    first: int,
    last: int,
    source: int,
    apply_mask: int,
    times: int,
) -> int:
    """Enter what one rule leads to, the source and so many edges to `apply_mask` aside; the new number of rules."""
    entries = reached.starts[rules]
    before = int64(-1)
    for place in range(first, last):
        entity = int64(entities[place])
        if entity == apply_mask and times > 0:
            times -= 1
            continue
        if entity not in (source, before):
            reached.entities[entries] = entity
            for i in range(3):
                reached.features[entries, i] = 0.0
            entries += 1
        before = entity
    if entries == reached.starts[rules]:
        return rules
    reached.rules[rules] = rule
    reached.starts[rules + 1] = entries
    return rules + 1


@njit_inner
def add_forward_rules(constants: Constants, key: int, source: int, reached: Reached, rules: int) -> int:
    """Enter the rules of one key that are read ahead."""
    group = find(constants.forward, key)
    if group >= 0:
        for place in range(constants.ahead_starts[group], constants.ahead_starts[group + 1]):
            rules = add_rule(
                reached, rules, constants.rules[place], constants.ends, place, place + 1, source, int64(-1), int64(0)
            )
    return rules


@njit_inner
def follow_constants(
    steps: Steps, constants: Constants, source: int, mask: Mask, frontier: int, reached: Reached, kept: int
) -> int:
    """Add what rules with constants lead to after the first `kept` rules; the number of all."""
    rules = int64(kept)
    if rules == 0:
        reached.starts[0] = 0
    nodes = int64(steps.node_rows.size - 1)
    if constants.forward.size > 0:
        rules = add_forward_rules(constants, int64(ALWAYS), source, reached, rules)
        for row in range(steps.node_rows[source], steps.node_rows[source + 1]):
            first, last = steps.row_offsets[row], steps.row_offsets[row + 1]
            if last - first > frontier:
                continue
            step, before = int64(steps.row_steps[row]), int64(-1)
            apply_mask = masked_end(steps, mask, source, step)
            times = masked_edges(steps, mask) if apply_mask >= 0 else int64(0)
            for edge in range(first, last):
                target = int64(steps.targets[edge])
                if target == apply_mask and times > 0:
                    times -= 1
                    continue
                if target != before:
                    rules = add_forward_rules(constants, step * nodes + target, source, reached, rules)
                before = target
    group = find(constants.back, source)
    if group >= 0:
        for place in range(constants.back_starts[group], constants.back_starts[group + 1]):
            row = constants.rows[place]
            if row >= 0:
                first, last = steps.row_offsets[row], steps.row_offsets[row + 1]
                if last - first <= frontier:
                    apply_mask = masked_end(steps, mask, int64(steps.row_nodes[row]), int64(steps.row_steps[row]))
                    times = masked_edges(steps, mask) if apply_mask >= 0 else int64(0)
                    rules = add_rule(
                        reached, rules, constants.rules[place], steps.targets, first, last, source, apply_mask, times
                    )
    return rules
