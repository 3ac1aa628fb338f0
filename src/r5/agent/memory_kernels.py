"""Kernels of the dynamic rule memory (Section 2.2): D_rl, D_rls and B_unkn, removal, eviction, and drawing.

Rules stand in arrays in the order in which they came, with a hash index from body to row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.comparison_kernels import is_greater_difference
from r5._util.kernels.compilation import int64, njit_inner, njit_outer, njit_shared

__all__ = ["MemoryArrays", "add_rule", "compact", "find", "forget", "reindex", "sample"]


class MemoryArrays(NamedTuple):
    """The memory as arrays; the first `size[0]` rows are in use."""

    bodies: NDArray[np.int32]  # [capacity, 2], the keys of D_rl
    heads: NDArray[np.int32]  # [capacity], D_rl
    scores: NDArray[np.float64]  # [capacity], D_rls
    support: NDArray[np.int64]  # [capacity], uses in episodes that ended in the answer
    size: NDArray[np.int64]  # [1]
    slots: NDArray[np.int32]  # [power of two], row of a body, -1 where empty
    free: NDArray[np.uint8]  # [n], 1 for each invented relation in B_unkn
    used: NDArray[np.bool_]  # [n], invented relations of the current episode
    bad: NDArray[np.bool_]  # [n], invented relations that are going
    doomed: NDArray[np.bool_]  # [capacity], rules about to be removed; all False between calls


@njit_inner
def _slot(index: NDArray[np.int32], left: int, right: int) -> int:
    """Where the search for a body starts in the hash index."""
    mixed = np.uint64(left) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(right) * np.uint64(0xC2B2AE3D27D4EB4F)
    return int(np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(index.size - 1)))


@njit_outer
def find(slots: NDArray[np.int32], bodies: NDArray[np.int32], left: int, right: int) -> int:
    """The row of the rule with this body, or -1."""
    slot = _slot(slots, left, right)
    while slots[slot] >= 0:
        row = int64(slots[slot])
        if bodies[row, 0] == left and bodies[row, 1] == right:
            return int(row)
        slot = (slot + 1) & (slots.size - 1)
    return -1


@njit_inner
def _enter(slots: NDArray[np.int32], bodies: NDArray[np.int32], row: int) -> None:
    """Put a row into the hash index."""
    slot = _slot(slots, int64(bodies[row, 0]), int64(bodies[row, 1]))
    while slots[slot] >= 0:
        slot = (slot + 1) & (slots.size - 1)
    slots[slot] = row


@njit_inner
def add_rule(memory: MemoryArrays, left: int, right: int, head: int, score: float, support: int) -> None:
    """Append a rule; there must be room."""
    row = memory.size[0]
    memory.bodies[row, 0] = left
    memory.bodies[row, 1] = right
    memory.heads[row] = head
    memory.scores[row] = score
    memory.support[row] = support
    memory.size[0] = row + 1
    _enter(memory.slots, memory.bodies, row)


@njit_inner
def _take(free: NDArray[np.uint8], relation: int, known: int) -> None:
    """Take an invented relation out of B_unkn."""
    if relation >= known:
        free[relation - known] = 0


@njit_outer
def reindex(memory: MemoryArrays, known: int) -> None:
    """Make the hash index and the buffer B_unkn anew from the rules."""
    for slot in range(memory.slots.size):
        memory.slots[slot] = -1
    for relation in range(memory.free.size):
        memory.free[relation] = 1
    for row in range(memory.size[0]):
        _enter(memory.slots, memory.bodies, row)
        _take(memory.free, memory.bodies[row, 0], known)
        _take(memory.free, memory.bodies[row, 1], known)
        _take(memory.free, memory.heads[row], known)


@njit_shared
def compact(memory: MemoryArrays, known: int) -> None:
    """Drop the doomed rows; the others keep their order."""
    kept = 0
    for row in range(memory.size[0]):
        if memory.doomed[row]:
            memory.doomed[row] = False
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
def _is_bad(bad: NDArray[np.bool_], relation: int, known: int) -> bool:
    """Whether this is an invented relation that is going."""
    return relation >= known and bool(bad[relation - known])


@njit_shared
def forget(memory: MemoryArrays, known: int) -> None:
    """Remove the doomed rules and, recursively, all rules that contain an invented head of a removed one.

    An invented relation that is the head of no rule is treated as one that was.
    """
    bodies, heads, doomed = memory.bodies, memory.heads, memory.doomed
    size = memory.size[0]
    bad = memory.bad
    for relation in range(bad.size):
        bad[relation] = True
    for row in range(size):
        if heads[row] >= known:
            bad[heads[row] - known] = False
    found = False
    changed = True
    while changed:
        changed = False
        for row in range(size):
            if (
                _is_bad(bad, bodies[row, 0], known)
                or _is_bad(bad, bodies[row, 1], known)
                or _is_bad(bad, heads[row], known)
            ):
                doomed[row] = True
            found = found or doomed[row]
            if doomed[row] and heads[row] >= known and not bad[heads[row] - known]:
                bad[heads[row] - known] = True
                changed = True
    if found:
        compact(memory, known)


@njit_inner
def _evict(memory: MemoryArrays, known: int) -> bool:
    """Free the invented relation whose rule has the smallest score, the first of equals, unless the episode uses it."""
    worst = -1
    for row in range(memory.size[0]):
        head = memory.heads[row]
        free_to_go = head >= known and not memory.used[head - known]
        if free_to_go and (worst < 0 or is_greater_difference(memory.scores[worst], memory.scores[row])):
            worst = row
    if worst < 0:
        return False
    memory.doomed[worst] = True
    forget(memory, known)
    return True


@njit_inner
def _unused(free: NDArray[np.uint8], used: NDArray[np.bool_]) -> int:
    """How many invented relations are in B_unkn and not used by this episode."""
    count = 0
    for relation in range(free.size):
        if free[relation] and not used[relation]:
            count += 1
    return count


@njit_inner
def sample(memory: MemoryArrays, draw: float, known: int) -> int:
    """RandomSample(B_unkn) of Equation 1; where the buffer is empty the worst rule is evicted first.

    The draw in [0, 1) picks one of the unused relations; -1 where this episode uses them all.
    """
    count = _unused(memory.free, memory.used)
    while count == 0:
        if not _evict(memory, known):
            return -1
        count = _unused(memory.free, memory.used)
    before = int64(draw * count)
    relation = -1
    while before >= 0:
        relation += 1
        if memory.free[relation] and not memory.used[relation]:
            before -= 1
    memory.free[relation] = 0
    return relation + known
