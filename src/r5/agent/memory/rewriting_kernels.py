"""Kernel of Algorithm 1, Backtrack Rewriting."""

from __future__ import annotations

from r5._util.kernels.compilation import int64, njit_outer
from r5.agent.memory.memory_kernels import MemoryArrays, add_rule, compact, find, remove_marked

__all__ = ["rewrite"]


@njit_outer
def rewrite(memory: MemoryArrays, relation: int, answer: int, known: int) -> None:
    """Algorithm 1: replace an invented relation by the target relation in all rules.

    A rewritten body that another rule already has keeps a known head of that rule; an invented head is replaced by the
    head, score and support of the rewritten rule. Rules about invented relations that head no rule are removed.

    Args:
        memory: Arrays of the memory, changed in place; capacity for as many rules again as it holds.
        relation: r, the invented relation.
        answer: y, the target relation.
        known: m, the number of known relations.
    """
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
        other = find(memory.slots, memory.bodies, left, right)
        memory.marked[row] = True
        if other < 0:
            add_rule(memory, left, right, int64(memory.heads[row]), memory.scores[row], memory.support[row])
        elif memory.heads[other] >= known:
            memory.heads[other] = memory.heads[row]
            memory.scores[other] = memory.scores[row]
            memory.support[other] = memory.support[row]
    compact(memory, known)
    remove_marked(memory, known)
