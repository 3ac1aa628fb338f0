"""Compiled kernels that look up the edges of an entity and a step, and count them.

A *step* is a relation in one direction. A mask removes one edge in both directions: the fact of the query.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner
from r5._util.kernels.random_kernels import GOLDEN_RATIO, mix_bits

__all__ = ["Mask", "Steps", "Trie", "degree", "fill_back", "fill_slots", "random_below", "row_of"]

Array = NDArray[Any]
MAX_SCANNED_ROWS = 6
"""Maximum number of rows of an entity that are scanned one by one; the hash table finds rows of larger entities."""


class Steps(NamedTuple):
    """Edges in compressed rows, one row for each entity and step that it has.

    The edges of a row lead to `targets[row_offsets[row]:row_offsets[row + 1]]`. A *kind* is a pair of a step and a
    number of edges; the kinds of one step have consecutive numbers.
    """

    inverse: Array  # [steps], inverse step
    node_rows: Array  # [entities + 1], offsets of the rows of each entity
    row_nodes: Array  # [rows], entity of each row
    row_steps: Array  # [rows], step of each row, sorted within an entity
    row_offsets: Array  # [rows + 1], offsets of the edges of each row
    targets: Array  # [edges], sorted within a row
    back: Array  # [edges], number of edges from the target along the inverse step
    kinds: Array  # [rows], kind of each row
    first_kinds: Array  # [steps + 1], offsets of the kinds of each step
    kind_logs: Array  # [kinds], log(1 + number of edges)
    kind_twice: Array  # [kinds], whether there are two edges or more
    slots: Array  # [a power of two], hash table from an entity and a step to their row, -1 for a free slot


class Mask(NamedTuple):
    """The edge `source -step-> target`, removed once in each direction for a query; step -1 for no mask."""

    source: int
    step: int
    target: int


class Trie(NamedTuple):
    """Prefixes of bodies in depth-first order."""

    steps: Array  # [prefixes], last step of each prefix
    depths: Array  # [prefixes], number of steps before the last one
    rules: Array  # [prefixes], the rule whose body the prefix is, or -1
    following: Array  # [prefixes], the next prefix that does not continue this one
    roots: Array  # [steps], the first prefix of length one whose step is this step or a later one


@njit_inner
def first_slot(node: int, step: int, mask: int) -> int:
    """Return the slot where the probing for an entity and a step starts."""
    key = (np.uint64(node) << np.uint64(20)) ^ np.uint64(step)
    return int64((key * GOLDEN_RATIO) >> np.uint64(32)) & mask


@njit_free
def fill_slots(row_nodes: Array, row_steps: Array, slots: Array) -> None:
    """Enter all rows into an empty hash table.

    Args:
        row_nodes: Entity of each row, [rows].
        row_steps: Step of each row, [rows].
        slots: The table to fill, -1 everywhere, [a power of two].
    """
    mask = slots.size - 1
    for row in range(row_nodes.size):
        slot = first_slot(int64(row_nodes[row]), int64(row_steps[row]), mask)
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = row


@njit_inner
def row_of(steps: Steps, node: int, step: int) -> int:
    """Return the row of an entity and a step, or -1 if the entity does not have the step."""
    first, last = steps.node_rows[node], steps.node_rows[node + 1]
    if last - first <= MAX_SCANNED_ROWS:
        for row in range(first, last):
            if steps.row_steps[row] == step:
                return int64(row)
        return int64(-1)
    mask = steps.slots.size - 1
    slot = first_slot(int64(node), int64(step), mask)
    row = steps.slots[slot]
    while row >= 0 and (steps.row_nodes[row] != node or steps.row_steps[row] != step):
        slot = (slot + 1) & mask
        row = steps.slots[slot]
    return int64(row)


@njit_free
def fill_back(steps: Steps) -> None:
    """Fill `steps.back`: the number of edges from the target of each edge along the inverse step."""
    for row in range(steps.row_nodes.size):
        step = int64(steps.inverse[steps.row_steps[row]])
        for edge in range(steps.row_offsets[row], steps.row_offsets[row + 1]):
            back_row = row_of(steps, int64(steps.targets[edge]), step)
            steps.back[edge] = steps.row_offsets[back_row + 1] - steps.row_offsets[back_row]


@njit_inner
def degree(steps: Steps, row: int, mask: Mask) -> int:
    """Return the number of edges of a row that are not masked."""
    size = steps.row_offsets[row + 1] - steps.row_offsets[row]
    if mask.step >= 0:
        node, step = steps.row_nodes[row], steps.row_steps[row]
        if node == mask.source and step == mask.step:
            size -= 1
        if node == mask.target and step == steps.inverse[mask.step]:
            size -= 1
    return int64(size)


@njit_inner
def random_below(state: Array, limit: int) -> int:
    """Draw a number from 0 to `limit - 1` with SplitMix64; `state` is its state, [1]."""
    state[0] += GOLDEN_RATIO
    return int64(mix_bits(state[0]) % np.uint64(limit))
