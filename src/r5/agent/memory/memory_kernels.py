"""Kernels of the tables D_rl and D_rls: look-up, insertion, and recursive removal of rules (Section 2.2).

Rules are rows of arrays in order of insertion, with a hash index from body to row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner, njit_outer, njit_shared
from r5._util.kernels.random_kernels import GOLDEN_RATIO

__all__ = ["MemoryArrays", "add_rule", "compact", "find", "reindex", "remove_marked"]


class MemoryArrays(NamedTuple):
    """Arrays of the rule memory; the first `size[0]` rows are in use, n is the number of invented relations."""

    bodies: NDArray[np.int32]
    """[capacity, 2], a_B, the keys of D_rl and D_rls."""
    heads: NDArray[np.int32]
    """[capacity], a_H, the values of D_rl."""
    scores: NDArray[np.float64]
    """[capacity], the values of D_rls."""
    support: NDArray[np.int64]
    """[capacity], uses in episodes that ended in the answer."""
    size: NDArray[np.int64]
    """[1], number of rules."""
    slots: NDArray[np.int32]
    """[power of two], hash index: row of a body, -1 for an empty slot."""
    free: NDArray[np.uint8]
    """[n], 1 for each invented relation in B_unkn."""
    used: NDArray[np.bool_]
    """[n], invented relations that the current episode uses."""
    undefined: NDArray[np.bool_]
    """[n], scratch: invented relations that head no remaining rule."""
    marked: NDArray[np.bool_]
    """[capacity], scratch: rules to remove; all False between calls."""


@njit_inner
def _first_slot(index: NDArray[np.int32], left: int, right: int) -> int:
    """Return the slot at which probing for a body starts."""
    mixed = np.uint64(left) * GOLDEN_RATIO ^ np.uint64(right) * np.uint64(0xC2B2AE3D27D4EB4F)
    return int(np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(index.size - 1)))


@njit_outer
def find(slots: NDArray[np.int32], bodies: NDArray[np.int32], left: int, right: int) -> int:
    """Return the row of the rule with this body, or -1.

    Args:
        slots: Hash index, [power of two].
        bodies: Bodies of the rules, [capacity, 2].
        left: First relation of the body.
        right: Second relation of the body.
    """
    slot = _first_slot(slots, left, right)
    while slots[slot] >= 0:
        row = int64(slots[slot])
        if bodies[row, 0] == left and bodies[row, 1] == right:
            return int(row)
        slot = (slot + 1) & (slots.size - 1)
    return -1


@njit_inner
def _index_row(slots: NDArray[np.int32], bodies: NDArray[np.int32], row: int) -> None:
    """Enter a row into the hash index."""
    slot = _first_slot(slots, int64(bodies[row, 0]), int64(bodies[row, 1]))
    while slots[slot] >= 0:
        slot = (slot + 1) & (slots.size - 1)
    slots[slot] = row


@njit_inner
def add_rule(memory: MemoryArrays, left: int, right: int, head: int, score: float, support: int) -> None:
    """Append a rule; the arrays must have a free row."""
    row = memory.size[0]
    memory.bodies[row, 0] = left
    memory.bodies[row, 1] = right
    memory.heads[row] = head
    memory.scores[row] = score
    memory.support[row] = support
    memory.size[0] = row + 1
    _index_row(memory.slots, memory.bodies, row)


@njit_inner
def _take(free: NDArray[np.uint8], relation: int, known: int) -> None:
    """Remove an invented relation from B_unkn."""
    if relation >= known:
        free[relation - known] = 0


@njit_outer
def reindex(memory: MemoryArrays, known: int) -> None:
    """Rebuild the hash index and B_unkn from the rules.

    Args:
        memory: Arrays of the memory, changed in place.
        known: m, the number of known relations; ids from m on are invented.
    """
    for slot in range(memory.slots.size):
        memory.slots[slot] = -1
    for relation in range(memory.free.size):
        memory.free[relation] = 1
    for row in range(memory.size[0]):
        _index_row(memory.slots, memory.bodies, row)
        _take(memory.free, memory.bodies[row, 0], known)
        _take(memory.free, memory.bodies[row, 1], known)
        _take(memory.free, memory.heads[row], known)


@njit_shared
def compact(memory: MemoryArrays, known: int) -> None:
    """Remove the marked rows; the other rows keep their order."""
    kept = 0
    for row in range(memory.size[0]):
        if memory.marked[row]:
            memory.marked[row] = False
            continue
        memory.bodies[kept, 0] = memory.bodies[row, 0]
        memory.bodies[kept, 1] = memory.bodies[row, 1]
        memory.heads[kept] = memory.heads[row]
        memory.scores[kept] = memory.scores[row]
        memory.support[kept] = memory.support[row]
        kept += 1
    memory.size[0] = kept
    reindex(memory, known)


@njit_inner
def _is_undefined(undefined: NDArray[np.bool_], relation: int, known: int) -> bool:
    """Return whether this is an invented relation that heads no remaining rule."""
    return relation >= known and bool(undefined[relation - known])


@njit_shared
def remove_marked(memory: MemoryArrays, known: int) -> None:
    """Remove the marked rules and, recursively, every rule that contains the invented head of a removed rule.

    An invented relation that heads no rule counts as the head of a removed one.
    """
    bodies, heads, marked = memory.bodies, memory.heads, memory.marked
    size = memory.size[0]
    undefined = memory.undefined
    for relation in range(undefined.size):
        undefined[relation] = True
    for row in range(size):
        if heads[row] >= known:
            undefined[heads[row] - known] = False
    found = False
    changed = True
    while changed:
        changed = False
        for row in range(size):
            if (
                _is_undefined(undefined, bodies[row, 0], known)
                or _is_undefined(undefined, bodies[row, 1], known)
                or _is_undefined(undefined, heads[row], known)
            ):
                marked[row] = True
            found = found or marked[row]
            if marked[row] and heads[row] >= known and not undefined[heads[row] - known]:
                undefined[heads[row] - known] = True
                changed = True
    if found:
        compact(memory, known)
