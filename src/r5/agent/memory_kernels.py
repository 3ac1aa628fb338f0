"""Kernels of the dynamic rule memory (Section 2.2): Equations 1 to 4, Algorithm 1, removal and eviction.

Rules stand in arrays in the order in which they came, with a hash index from body to row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["NEW", "MemoryArrays", "Values", "add_rule", "commit", "find", "forget", "reindex", "rewrite"]

NEW = -2
"""The result of an episode whose last body was new: an invented relation, rewritten at once."""


class MemoryArrays(NamedTuple):
    """The memory as arrays; the first `size[0]` rows are in use."""

    bodies: NDArray[np.int32]  # [capacity, 2], the keys of D_rl
    heads: NDArray[np.int32]  # [capacity], D_rl
    scores: NDArray[np.float64]  # [capacity], D_rls
    support: NDArray[np.int64]  # [capacity], uses in episodes that ended in the answer
    size: NDArray[np.int64]  # [1]
    slots: NDArray[np.int32]  # [power of two], row of a body, -1 where empty
    free: NDArray[np.uint8]  # [n], 1 for each invented relation in B_unkn


class Values(NamedTuple):
    """The score values, as in `Settings`."""

    v0: float
    v1: float
    v2: float
    v3: float
    v4: float
    end_right: float
    end_wrong: float
    simple_true: float
    simple_wrong: float
    decay: float
    threshold: float


@njit(cache=True)
def _slot(index: NDArray[np.int32], left: int, right: int) -> int:
    """Where the search for a body starts in the hash index."""
    mixed = np.uint64(left) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(right) * np.uint64(0xC2B2AE3D27D4EB4F)
    return int(np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(index.size - 1)))


@njit(cache=True)
def find(memory: MemoryArrays, left: int, right: int) -> int:
    """The row of the rule with this body, or -1."""
    slot = _slot(memory.slots, left, right)
    while memory.slots[slot] >= 0:
        row = memory.slots[slot]
        if memory.bodies[row, 0] == left and memory.bodies[row, 1] == right:
            return int(row)
        slot = (slot + 1) & (memory.slots.size - 1)
    return -1


@njit(cache=True)
def _enter(memory: MemoryArrays, row: int) -> None:
    """Put a row into the hash index."""
    slot = _slot(memory.slots, memory.bodies[row, 0], memory.bodies[row, 1])
    while memory.slots[slot] >= 0:
        slot = (slot + 1) & (memory.slots.size - 1)
    memory.slots[slot] = row


@njit(cache=True)
def add_rule(memory: MemoryArrays, left: int, right: int, head: int, score: float, support: int) -> int:
    """Append a rule; there must be room."""
    row = memory.size[0]
    memory.bodies[row, 0] = left
    memory.bodies[row, 1] = right
    memory.heads[row] = head
    memory.scores[row] = score
    memory.support[row] = support
    memory.size[0] = row + 1
    _enter(memory, row)
    return int(row)


@njit(cache=True)
def reindex(memory: MemoryArrays, known: int) -> None:
    """Make the hash index and the buffer B_unkn anew from the rules."""
    memory.slots[:] = -1
    memory.free[:] = 1
    for row in range(memory.size[0]):
        _enter(memory, row)
        for relation in (memory.bodies[row, 0], memory.bodies[row, 1], memory.heads[row]):
            if relation >= known:
                memory.free[relation - known] = 0


@njit(cache=True)
def _compact(memory: MemoryArrays, doomed: NDArray[np.bool_], known: int) -> None:
    """Drop the doomed rows; the others keep their order."""
    kept = 0
    for row in range(memory.size[0]):
        if not doomed[row]:
            memory.bodies[kept] = memory.bodies[row]
            memory.heads[kept] = memory.heads[row]
            memory.scores[kept] = memory.scores[row]
            memory.support[kept] = memory.support[row]
            kept += 1
    memory.size[0] = kept
    reindex(memory, known)


@njit(cache=True)
def _mark_bad(memory: MemoryArrays, doomed: NDArray[np.bool_], known: int, bad: NDArray[np.bool_]) -> bool:
    """Mark invented relations that are the head of a doomed rule or of no rule; say whether one is new."""
    headed = np.zeros(memory.free.size, dtype=np.bool_)
    changed = False
    for row in range(memory.size[0]):
        if memory.heads[row] >= known:
            relation = memory.heads[row] - known
            headed[relation] = True
            if doomed[row] and not bad[relation]:
                bad[relation] = True
                changed = True
    for row in range(memory.size[0]):
        for relation in memory.bodies[row]:
            if relation >= known and not headed[relation - known] and not bad[relation - known]:
                bad[relation - known] = True
                changed = True
    return changed


@njit(cache=True)
def forget(memory: MemoryArrays, doomed: NDArray[np.bool_], known: int) -> None:
    """Remove the doomed rules and, recursively, all rules that contain an invented head of a removed one."""
    bad = np.zeros(memory.free.size, dtype=np.bool_)
    while _mark_bad(memory, doomed, known, bad):
        for row in range(memory.size[0]):
            for relation in (memory.bodies[row, 0], memory.bodies[row, 1], memory.heads[row]):
                if relation >= known and bad[relation - known]:
                    doomed[row] = True
    if doomed[: memory.size[0]].any():
        _compact(memory, doomed, known)


@njit(cache=True)
def _evict(memory: MemoryArrays, used: NDArray[np.bool_], known: int) -> bool:
    """Free the invented relation whose rule has the smallest score, unless this episode uses it."""
    worst = -1
    for row in range(memory.size[0]):
        head = memory.heads[row]
        free_to_go = head >= known and not used[head - known]
        if free_to_go and (worst < 0 or memory.scores[row] < memory.scores[worst]):
            worst = row
    if worst < 0:
        return False
    doomed = np.zeros(memory.size[0], dtype=np.bool_)
    doomed[worst] = True
    forget(memory, doomed, known)
    return True


@njit(cache=True)
def _sample(memory: MemoryArrays, draw: float, used: NDArray[np.bool_], known: int) -> int:
    """RandomSample(B_unkn) of Equation 1; where the buffer is empty the worst rule is evicted first.

    The draw in [0, 1) picks one of the unused relations; -1 where this episode uses them all.
    """
    while not (memory.free.view(np.bool_) & ~used).any():
        if not _evict(memory, used, known):
            return -1
    unused = np.flatnonzero(memory.free.view(np.bool_) & ~used)
    relation = unused[np.int64(draw * unused.size)]
    memory.free[relation] = 0
    return int(relation + known)


@njit(cache=True)
def _gain(values: Values, left: int, right: int, head: int, known: int, is_new: bool) -> float:
    """c_a of Equation 2."""
    known_body = left < known and right < known
    if is_new:
        return values.v3 if known_body else values.v4
    if head >= known:
        return values.v2
    return values.v0 if known_body else values.v1


@njit(cache=True)
def rewrite(memory: MemoryArrays, relation: int, answer: int, known: int) -> None:
    """Algorithm 1, Backtrack Rewriting: the invented relation turns out to be the answer's."""
    size = memory.size[0]
    for row in range(size):
        if memory.heads[row] == relation:
            memory.heads[row] = answer
    doomed = np.zeros(memory.heads.size, dtype=np.bool_)
    for row in range(size):
        left, right = memory.bodies[row]
        if relation not in (left, right):
            continue
        left = answer if left == relation else left
        right = answer if right == relation else right
        there = find(memory, left, right)
        doomed[row] = True
        if there < 0:
            add_rule(memory, left, right, memory.heads[row], memory.scores[row], memory.support[row])
        elif memory.heads[there] >= known:
            memory.heads[there] = memory.heads[row]
            memory.scores[there] = memory.scores[row]
            memory.support[there] = memory.support[row]
    _compact(memory, doomed[: memory.size[0]], known)
    forget(memory, np.zeros(memory.size[0], dtype=np.bool_), known)


@njit(cache=True)
def _reward(
    memory: MemoryArrays,
    values: Values,
    bodies: NDArray[np.int32],
    gains: NDArray[np.float64],
    steps: int,
    result: int,
    answer: int,
    known: int,
    simple: bool,
) -> None:
    """Equation 3, added to the scores of the rules used, and Appendix A.3 for paths of two relations."""
    for step in range(steps):
        row = find(memory, bodies[step, 0], bodies[step, 1])
        if row < 0:
            continue
        if result == answer:
            memory.scores[row] += gains[step] + values.end_right
            memory.support[row] += 1
        elif 0 <= result < known:
            memory.scores[row] += values.end_wrong
        else:
            memory.scores[row] += gains[step]
        if simple:
            wrong = 0 <= result < known and result != answer
            memory.scores[row] += values.simple_wrong if wrong else values.simple_true


@njit(cache=True)
def _fade(memory: MemoryArrays, values: Values, known: int) -> None:
    """Equation 4 for all rules, then removal of those below the threshold sigma."""
    size = memory.size[0]
    for row in range(size):
        score = memory.scores[row]
        memory.scores[row] = score * (1.0 + values.decay) if score < 0 else score * (1.0 - values.decay)
    doomed = memory.scores[:size] < values.threshold
    if doomed.any():
        forget(memory, doomed, known)


@njit(cache=True)
def commit(
    memory: MemoryArrays,
    values: Values,
    path: NDArray[np.int32],
    positions: NDArray[np.int64],
    answer: int,
    known: int,
    draws: NDArray[np.float64],
) -> int:
    """Replay an episode's merges on the memory and learn from it; returns the relation it ended in.

    Heads are looked up as the memory now is (Equation 1). The result is a relation id, or NEW
    where the last body was new: the invented relation drawn for it would be rewritten to the
    answer at once, so the rule is stored with the answer as head. Where no invented relation is
    left to draw, for all are in use by this episode, the episode ends there, unfinished (-1).
    """
    path = path.copy()
    steps = positions.size
    bodies = np.empty((steps, 2), dtype=np.int32)
    gains = np.empty(steps, dtype=np.float64)
    used = np.zeros(memory.free.size, dtype=np.bool_)
    result = -1
    length = path.size
    done = 0
    for step in range(steps):
        place = positions[step]
        left, right = path[place], path[place + 1]
        row = find(memory, left, right)
        head = int(memory.heads[row]) if row >= 0 else -1
        if row < 0 and step == steps - 1:
            head = answer
            add_rule(memory, left, right, answer, 0.0, 0)
        elif row < 0:
            head = _sample(memory, draws[step], used, known)
            if head < 0:
                break
            add_rule(memory, left, right, head, 0.0, 0)
        if head >= known:
            used[head - known] = True
        bodies[step] = left, right
        gains[step] = _gain(values, left, right, head, known, row < 0)
        path[place] = head
        path[place + 1 : length - 1] = path[place + 2 : length]
        length -= 1
        done = step + 1
        if done == steps:
            result = NEW if row < 0 else head
    _reward(memory, values, bodies, gains, done, result, answer, known, path.size == 2)
    if result >= known:
        rewrite(memory, result, answer, known)
    _fade(memory, values, known)
    return result
