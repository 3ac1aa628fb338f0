"""Compiled kernels for rules with constants: `h(X, c) <= b(X, d)`, and `h(X, c) <=` with an empty body.

For a tail query (X, h, ?), such a rule reaches c. For a head query (?, h, c), the reversed rule reaches all X with
b(X, d).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner
from r5.chains.features.walk_kernels import Reached
from r5.chains.graph.step_kernels import Mask, Steps, find

__all__ = ["ALWAYS", "Constants", "follow_constants"]

Array = NDArray[Any]
ALWAYS = -1
"""Key of rules with an empty body."""


class Constants(NamedTuple):
    """Index of the rules with constants of one step, grouped by key.

    The key of a forward rule is its body, `b * entities + d`; the key of a reversed rule is the source, c. The rules
    of group g are at positions `starts[g]` to `starts[g + 1] - 1` of `rules`; forward rules come first.
    """

    forward_keys: Array  # [forward groups], sorted
    forward_starts: Array  # [forward groups + 1]
    back_keys: Array  # [reversed groups], sorted
    back_starts: Array  # [reversed groups + 1]
    rules: Array  # [rules], number of each rule
    answers: Array  # [forward rules], the entity c that each reaches
    rows: Array  # [rules], row of the graph with the entities that each reversed rule reaches, -1 for none


class MaskedEdges(NamedTuple):
    """Edges of one row that the mask removes."""

    target: int  # target of these edges, -1 if there are none
    number: int  # two for a self loop of a symmetric relation


@njit_inner
def masked_edges(steps: Steps, mask: Mask, node: int, step: int) -> MaskedEdges:
    """Return the masked edges in the row of an entity and a step."""
    target = int64(-1)
    if mask.step >= 0 and node == mask.source and step == mask.step:
        target = int64(mask.target)
    elif mask.step >= 0 and node == mask.target and step == steps.inverse[mask.step]:
        target = int64(mask.source)
    if target < 0:
        return MaskedEdges(target, int64(0))
    is_double = mask.source == mask.target and steps.inverse[mask.step] == mask.step
    return MaskedEdges(target, int64(2) if is_double else int64(1))


@njit_inner
def add_rule(
    reached: Reached, rules: int, rule: int, entities: Array, first: int, last: int, source: int, masked: MaskedEdges
) -> int:
    """Add the entities that one rule reaches, without the source and masked edges; return the number of rules."""
    entries = reached.starts[rules]
    previous, left = int64(-1), int64(masked.number)
    for position in range(first, last):
        entity = int64(entities[position])
        if entity == masked.target and left > 0:
            left -= 1
            continue
        if entity not in (source, previous):
            reached.entities[entries] = entity
            reached.features[entries, 0] = 0.0
            reached.features[entries, 1] = 0.0
            entries += 1
        previous = entity
    if entries == reached.starts[rules]:
        return rules
    reached.rules[rules] = rule
    reached.starts[rules + 1] = entries
    return rules + 1


@njit_inner
def add_forward_rules(constants: Constants, key: int, source: int, reached: Reached, rules: int) -> int:
    """Add the forward rules of one key; return the number of rules."""
    group = find(constants.forward_keys, key)
    if group >= 0:
        nothing = MaskedEdges(int64(-1), int64(0))
        for i in range(constants.forward_starts[group], constants.forward_starts[group + 1]):
            rules = add_rule(reached, rules, constants.rules[i], constants.answers, i, i + 1, source, nothing)
    return rules


@njit_inner
def follow_constants(
    steps: Steps, constants: Constants, source: int, mask: Mask, frontier: int, reached: Reached, kept: int
) -> int:
    """Add the entities that rules with constants reach.

    Args:
        steps: The graph.
        constants: The rules.
        source: Source of the query.
        mask: The masked edge.
        frontier: Maximum number of edges of a row; longer rows are skipped.
        reached: Output; its first `kept` rules stay.
        kept: Number of rules in `reached`.

    Returns:
        The number of rules in `reached`.
    """
    rules = int64(kept)
    if rules == 0:
        reached.starts[0] = 0
    nodes = int64(steps.node_rows.size - 1)
    if constants.forward_keys.size > 0:
        rules = add_forward_rules(constants, int64(ALWAYS), source, reached, rules)
        for row in range(steps.node_rows[source], steps.node_rows[source + 1]):
            first, last = steps.row_offsets[row], steps.row_offsets[row + 1]
            if last - first > frontier:
                continue
            step, previous = int64(steps.row_steps[row]), int64(-1)
            masked = masked_edges(steps, mask, source, step)
            left = int64(masked.number)
            for edge in range(first, last):
                target = int64(steps.targets[edge])
                if target == masked.target and left > 0:
                    left -= 1
                    continue
                if target != previous:
                    rules = add_forward_rules(constants, step * nodes + target, source, reached, rules)
                previous = target
    group = find(constants.back_keys, source)
    if group >= 0:
        for i in range(constants.back_starts[group], constants.back_starts[group + 1]):
            row = constants.rows[i]
            if row >= 0:
                first, last = steps.row_offsets[row], steps.row_offsets[row + 1]
                if last - first <= frontier:
                    masked = masked_edges(steps, mask, int64(steps.row_nodes[row]), int64(steps.row_steps[row]))
                    rules = add_rule(reached, rules, constants.rules[i], steps.targets, first, last, source, masked)
    return rules
