"""Compiled kernels that look up the edges of an entity and a step, and count them.

A *step* is a relation in one direction. A mask removes one edge in both directions: the fact of the query.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner
from r5._util.kernels.random_kernels import GOLDEN_RATIO, mix_bits

__all__ = [
    "Mask",
    "StepEdges",
    "Steps",
    "Trie",
    "count_masked",
    "degree",
    "fill_back",
    "fill_by_step",
    "find",
    "find_row",
    "hash_slot",
    "random_below",
    "row_of",
]

Array = NDArray[Any]


class StepEdges(NamedTuple):
    """The edges in rows ordered by step, then entity, so that walks along one step stay in a small part of memory.

    Each step has a hash table of its own from entities to rows: `slots[first_slots[step]:first_slots[step + 1]]`.
    """

    nodes: Array  # [rows], entity of each row
    offsets: Array  # [rows + 1], offsets of the edges of each row
    targets: Array  # [edges], sorted within a row
    back: Array  # [edges], number of edges from the target along the inverse step
    first_slots: Array  # [steps + 1], offsets of the hash tables, each a power of two or empty
    slots: Array  # row at each slot, -1 for a free one


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
    by_step: StepEdges


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
def hash_slot(key: int, mask: int) -> int:
    """Return the slot where the probing for a key starts, in a table of `mask + 1` slots."""
    return int64((np.uint64(key) * GOLDEN_RATIO) >> np.uint64(32)) & mask


@njit_free
def fill_by_step(steps: Steps, first_rows: Array, rows: Array) -> None:
    """Fill the nodes, offsets, targets and slots of `steps.by_step`.

    Args:
        steps: The edges; the slots are -1 everywhere.
        first_rows: First row of each step, [steps]; its contents are lost.
        rows: Output, row of `steps` at each row of `steps.by_step`, [rows].
    """
    edges = steps.by_step
    for row in range(rows.size):
        step = steps.row_steps[row]
        rows[first_rows[step]] = row
        first_rows[step] += 1
    size = int64(0)
    edges.offsets[0] = 0
    for position in range(rows.size):
        row = rows[position]
        edges.nodes[position] = steps.row_nodes[row]
        for edge in range(steps.row_offsets[row], steps.row_offsets[row + 1]):
            edges.targets[size] = steps.targets[edge]
            size += 1
        edges.offsets[position + 1] = size
        step = steps.row_steps[row]
        first = edges.first_slots[step]
        mask = int64(edges.first_slots[step + 1] - first - 1)
        slot = hash_slot(int64(steps.row_nodes[row]), mask)
        while edges.slots[first + slot] >= 0:
            slot = (slot + 1) & mask
        edges.slots[first + slot] = position


@njit_inner
def find_row(edges: StepEdges, node: int, first: int, mask: int) -> int:
    """Return the row of an entity in the hash table with `mask + 1` slots from `first` on, or -1."""
    slot = hash_slot(node, mask)
    row = edges.slots[first + slot]
    while row >= 0 and edges.nodes[row] != node:
        slot = (slot + 1) & mask
        row = edges.slots[first + slot]
    return int64(row)


@njit_inner
def row_of(edges: StepEdges, node: int, step: int) -> int:
    """Return the row of an entity and a step, or -1 if the entity does not have the step."""
    first = int64(edges.first_slots[step])
    mask = int64(edges.first_slots[step + 1] - first - 1)
    return find_row(edges, node, first, mask) if mask >= 0 else int64(-1)


@njit_inner
def find(keys: Array, key: int) -> int:
    """Return the position of a key in a sorted array, or -1."""
    low, high = int64(0), int64(keys.size)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < keys.size and keys[low] == key else int64(-1)


@njit_free
def fill_back(steps: Steps, rows: Array) -> None:
    """Fill `back` of the edges in both orders: the number of edges from each target along the inverse step.

    Args:
        steps: The edges.
        rows: Row of `steps` at each row of `steps.by_step`, [rows].
    """
    edges = steps.by_step
    for position in range(rows.size):
        row = rows[position]
        step, shift = int64(steps.inverse[steps.row_steps[row]]), steps.row_offsets[row] - edges.offsets[position]
        for edge in range(edges.offsets[position], edges.offsets[position + 1]):
            back_row = row_of(edges, int64(edges.targets[edge]), step)
            edges.back[edge] = edges.offsets[back_row + 1] - edges.offsets[back_row]
            steps.back[edge + shift] = edges.back[edge]


@njit_inner
def degree(steps: Steps, row: int, mask: Mask) -> int:
    """Return the number of edges of a row that are not masked."""
    size = steps.row_offsets[row + 1] - steps.row_offsets[row]
    return int64(size - count_masked(steps, int64(steps.row_nodes[row]), int64(steps.row_steps[row]), mask))


@njit_inner
def count_masked(steps: Steps, node: int, step: int, mask: Mask) -> int:
    """Return the number of edges of an entity and a step that the mask removes."""
    number = int64(0)
    if mask.step >= 0:
        if node == mask.source and step == mask.step:
            number += 1
        if node == mask.target and step == steps.inverse[mask.step]:
            number += 1
    return number


@njit_inner
def random_below(state: Array, limit: int) -> int:
    """Draw a number from 0 to `limit - 1` with SplitMix64; `state` is its state, [1]."""
    state[0] += GOLDEN_RATIO
    return int64(mix_bits(state[0]) % np.uint64(limit))
