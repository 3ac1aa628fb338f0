"""Compiled kernels that look up where a step leads from an entity, and how many edges that takes.

A *step* is a relation in one direction. A question may hide one edge, the fact that is asked for, in both directions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner

__all__ = ["Mask", "Steps", "Trie", "degree", "fill_back", "fill_slots", "random_below", "row_of"]

Array = NDArray[Any]
FEW = 6
"""The rows of an entity with no more than these are looked through one by one."""


class Steps(NamedTuple):
    """A row for each entity and step it has: to `targets[row_offsets[row]:row_offsets[row + 1]]`."""

    inverse: Array  # [steps], the step that leads back
    node_rows: Array  # [entities + 1], where the rows of each entity start
    row_nodes: Array  # [rows]
    row_steps: Array  # [rows], in order within an entity
    row_offsets: Array  # [rows + 1]
    targets: Array  # [edges], in order within a row
    back: Array  # [edges], how many edges lead back from the target with the inverse step
    kinds: Array  # [rows], a number for each step and number of edges, those of a step side by side
    first_kinds: Array  # [steps + 1], where the kinds of each step start
    kind_logs: Array  # [kinds], log(1 + the number of edges)
    kind_twice: Array  # [kinds], whether there are two edges or more
    slots: Array  # [a power of two], the row of an entity and step by their hash, -1 where free


class Mask(NamedTuple):
    """The edge `source -step-> target` that a question must not use, once in each direction; step -1 for none."""

    source: int
    step: int
    target: int


class Trie(NamedTuple):
    """Prefixes of bodies, each before those that continue it."""

    steps: Array  # [prefixes], the last step of each
    depths: Array  # [prefixes], how many steps stand before it
    rules: Array  # [prefixes], the rule whose body it is, or -1
    following: Array  # [prefixes], the next one that does not continue it
    roots: Array  # [steps], the first prefix of one step that is this one or a later one


@njit_inner
def first_slot(node: int, step: int, mask: int) -> int:
    """Where the search for an entity and step starts."""
    key = (np.uint64(node) << np.uint64(20)) ^ np.uint64(step)
    return int64((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & mask


@njit_free
def fill_slots(row_nodes: Array, row_steps: Array, slots: Array) -> None:
    """Enter all rows into a table that is free."""
    mask = slots.size - 1
    for row in range(row_nodes.size):
        slot = first_slot(int64(row_nodes[row]), int64(row_steps[row]), mask)
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = row


@njit_inner
def row_of(steps: Steps, node: int, step: int) -> int:
    """The row of an entity and step, or -1."""
    first, last = steps.node_rows[node], steps.node_rows[node + 1]
    if last - first <= FEW:  # nearer to hand than the table
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
    """Enter how many edges lead back from the end of each."""
    for row in range(steps.row_nodes.size):
        step = int64(steps.inverse[steps.row_steps[row]])
        for edge in range(steps.row_offsets[row], steps.row_offsets[row + 1]):
            other = row_of(steps, int64(steps.targets[edge]), step)
            steps.back[edge] = steps.row_offsets[other + 1] - steps.row_offsets[other]


@njit_inner
def degree(steps: Steps, row: int, mask: Mask) -> int:
    """How many edges a row has without the hidden one."""
    size = steps.row_offsets[row + 1] - steps.row_offsets[row]
    if mask.step >= 0:
        node, step = steps.row_nodes[row], steps.row_steps[row]
        if node == mask.source and step == mask.step:
            size -= 1
        if node == mask.target and step == steps.inverse[mask.step]:
            size -= 1
    return int64(size)


@njit_inner
def random_below(state: Array, most: int) -> int:
    """A number from 0 on below `most`; the state is of SplitMix64."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return int64((z ^ (z >> np.uint64(31))) % np.uint64(most))
