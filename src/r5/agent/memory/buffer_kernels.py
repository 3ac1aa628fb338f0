"""Kernels of B_unkn, the buffer of free invented relations: sampling, and eviction when it is empty (Section 2.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.comparison_kernels import is_greater_difference
from r5._util.kernels.compilation import int64, njit_inner
from r5.agent.memory.memory_kernels import MemoryArrays, remove_marked

__all__ = ["sample_relation"]


@njit_inner
def _evict(memory: MemoryArrays, known: int) -> bool:
    """Free the invented head of the lowest-scoring rule, with every rule that depends on it, recursively.

    The paper removes the rules that contain this head only. Ties go to the oldest rule. Relations that the current
    episode uses are not evicted; returns False where no other is left.
    """
    lowest = -1
    for row in range(memory.size[0]):
        head = memory.heads[row]
        can_go = head >= known and not memory.used[head - known]
        if can_go and (lowest < 0 or is_greater_difference(memory.scores[lowest], memory.scores[row])):
            lowest = row
    if lowest < 0:
        return False
    memory.marked[lowest] = True
    remove_marked(memory, known)
    return True


@njit_inner
def _count_available(free: NDArray[np.uint8], used: NDArray[np.bool_]) -> int:
    """Count the relations in B_unkn that the current episode does not use."""
    count = 0
    for relation in range(free.size):
        if free[relation] and not used[relation]:
            count += 1
    return count


@njit_inner
def sample_relation(memory: MemoryArrays, draw: float, known: int) -> int:
    """RandomSample(B_unkn) of Equation 1; evicts rules while the buffer is empty.

    Args:
        memory: Arrays of the memory, changed in place.
        draw: Random number in [0, 1) that picks one of the available relations.
        known: m, the number of known relations.

    Returns:
        The id of the invented relation, or -1 where the current episode uses all of them.
    """
    count = _count_available(memory.free, memory.used)
    while count == 0:
        if not _evict(memory, known):
            return -1
        count = _count_available(memory.free, memory.used)
    remaining = int64(draw * count)
    relation = -1
    while remaining >= 0:
        relation += 1
        if memory.free[relation] and not memory.used[relation]:
            remaining -= 1
    memory.free[relation] = 0
    return relation + known
