"""Algorithm 1, Backtrack Rewriting: an invented relation that an episode ended in turns out to be the answer."""

from __future__ import annotations

from r5._util.kernels.compilation import int64, njit_outer
from r5.agent.memory_kernels import MemoryArrays, add_rule, compact, find, forget

__all__ = ["rewrite"]


@njit_outer
def rewrite(memory: MemoryArrays, relation: int, answer: int, known: int) -> None:
    """Algorithm 1, Backtrack Rewriting: the invented relation turns out to be the answer's."""
    size = memory.size[0]
    for row in range(size):
        if memory.heads[row] == relation:
            memory.heads[row] = answer
    for row in range(size):
        left, right = int64(memory.bodies[row, 0]), int64(memory.bodies[row, 1])
        if left != relation and right != relation:  # noqa: PLR1714
            continue
        left = answer if left == relation else left
        right = answer if right == relation else right
        there = find(memory.slots, memory.bodies, left, right)
        memory.doomed[row] = True
        if there < 0:
            add_rule(memory, left, right, int64(memory.heads[row]), memory.scores[row], memory.support[row])
        elif memory.heads[there] >= known:
            memory.heads[there] = memory.heads[row]
            memory.scores[there] = memory.scores[row]
            memory.support[there] = memory.support[row]
    compact(memory, known)
    forget(memory, known)
