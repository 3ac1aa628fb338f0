"""What the rule memory learns from an episode (Section 2.2): Equations 1 to 4, then Algorithm 1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner, njit_outer
from r5.agent.memory_kernels import MemoryArrays, add_rule, find, forget, sample
from r5.agent.rewriting_kernels import rewrite

__all__ = ["NEW", "Values", "commit"]

NEW = -2
"""The result of an episode whose last body was new: an invented relation, rewritten at once."""


class Values(NamedTuple):
    """The score values, as in `R5Settings`."""

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


@njit_inner
def _gain(values: Values, left: int, right: int, head: int, known: int, is_new: bool) -> float:
    """c_a of Equation 2."""
    known_body = left < known and right < known
    if is_new:
        return values.v3 if known_body else values.v4
    if head >= known:
        return values.v2
    return values.v0 if known_body else values.v1


@njit_inner
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
        row = find(memory.slots, memory.bodies, int64(bodies[step, 0]), int64(bodies[step, 1]))
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


@njit_inner
def _fade(memory: MemoryArrays, values: Values, known: int) -> None:
    """Equation 4 for all rules, then removal of those below the threshold sigma."""
    found = False
    for row in range(memory.size[0]):
        score = memory.scores[row]
        score = score * (1.0 + values.decay) if score < 0 else score * (1.0 - values.decay)
        memory.scores[row] = score
        memory.doomed[row] = score < values.threshold
        found = found or memory.doomed[row]
    if found:
        forget(memory, known)


@njit_outer
def commit(
    memory: MemoryArrays,
    values: Values,
    path: NDArray[np.int32],
    positions: NDArray[np.int64],
    answer: int,
    known: int,
    draws: NDArray[np.float64],
    bodies: NDArray[np.int32],
    gains: NDArray[np.float64],
) -> int:
    """Replay an episode's merges on the memory and learn from it; returns the relation it ended in.

    Heads are looked up as the memory now is (Equation 1). The result is a relation id, or NEW
    where the last body was new: the invented relation drawn for it would be rewritten to the
    answer at once, so the rule is stored with the answer as head. Where no invented relation is
    left to draw, for all are in use by this episode, the episode ends there, unfinished (-1).
    The path is used up; bodies and gains are working memory, [steps, 2] and [steps].
    """
    steps = positions.size
    for relation in range(memory.free.size):
        memory.used[relation] = False
    result = int64(-1)
    done = int64(0)
    for step in range(steps):
        place = positions[step]
        left, right = int64(path[place]), int64(path[place + 1])
        row = find(memory.slots, memory.bodies, left, right)
        head = answer
        if row >= 0:
            head = int64(memory.heads[row])
        elif step < steps - 1:
            head = sample(memory, draws[step], known)
            if head < 0:
                break
        if row < 0:
            add_rule(memory, left, right, head, 0.0, int64(0))
        if head >= known:
            memory.used[head - known] = True
        bodies[step, 0], bodies[step, 1] = left, right
        gains[step] = _gain(values, left, right, head, known, row < 0)
        path[place] = head
        for later in range(place + 1, path.size - step - 1):
            path[later] = path[later + 1]
        done = step + 1
        if done == steps:
            result = int64(NEW) if row < 0 else head
    _reward(memory, values, bodies, gains, done, result, answer, known, path.size == 2)
    if result >= known:
        rewrite(memory, result, answer, known)
    _fade(memory, values, known)
    return result
