"""Kernels of the rule scores D_rls: Equation 2 (action score), Equation 3 (episode end), Equation 4 (decay)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner
from r5.agent.memory.memory_kernels import MemoryArrays, find, remove_marked

__all__ = ["EpisodeArrays", "ScoreValues", "action_score", "decay_scores", "update_scores"]


class ScoreValues(NamedTuple):
    """Constants of Equations 2 to 4 and Appendix A.3, as in `R5Settings`."""

    v0: float
    """v_0: known body and head, in the memory."""
    v1: float
    """v_1: known head, a relation of the body is invented, in the memory."""
    v2: float
    """v_2: invented head, in the memory."""
    v3: float
    """v_3: new body of known relations."""
    v4: float
    """v_4: new body with an invented relation."""
    end_right: float
    """v_T,pos: added where the episode ended in the answer."""
    end_wrong: float
    """v_T,neg: added where it ended in another known relation."""
    simple_true: float
    """v_true: extra for a rule that a path of two relations agrees with."""
    simple_wrong: float
    """v_wrong: allowance for a rule that a path of two relations disagrees with."""
    decay: float
    """epsilon of Equation 4."""
    threshold: float
    """sigma: rules with a lower score are removed."""


class EpisodeArrays(NamedTuple):
    """One episode of T + 1 merges on a path."""

    path: NDArray[np.int32]
    """[relations], overwritten as pairs are merged."""
    positions: NDArray[np.int64]
    """[steps], place of the pair that each step merges."""
    draws: NDArray[np.float64]
    """[steps], random numbers in [0, 1) for Equation 1."""
    bodies: NDArray[np.int32]
    """[steps, 2], scratch: a_B of each step."""
    action_scores: NDArray[np.float64]
    """[steps], scratch: c_a of each step."""


@njit_inner
def action_score(values: ScoreValues, left: int, right: int, head: int, known: int, is_new: bool) -> float:
    """Equation 2: return c_a, the score of one action.

    Args:
        values: Constants v_0 to v_4.
        left: First relation of the body a_B.
        right: Second relation of the body.
        head: a_H.
        known: m, the number of known relations.
        is_new: True where the body was not in D_rl.
    """
    known_body = left < known and right < known
    if is_new:
        return values.v3 if known_body else values.v4
    if head >= known:
        return values.v2
    return values.v0 if known_body else values.v1


@njit_inner
def update_scores(
    memory: MemoryArrays, values: ScoreValues, episode: EpisodeArrays, steps: int, result: int, answer: int, known: int
) -> None:
    """Equation 3, added to D_rls for each rule of the episode, and Appendix A.3 for paths of two relations.

    Args:
        memory: Arrays of the memory, changed in place.
        values: Constants of the equation.
        episode: The episode, with the action score c_a of each step.
        steps: Number of merges made.
        result: r, the relation at the end; negative for an unfinished episode or a new last body: the third case.
        answer: y, the target relation.
        known: m, the number of known relations.
    """
    is_simple = episode.path.size == 2
    for step in range(steps):
        row = find(memory.slots, memory.bodies, int64(episode.bodies[step, 0]), int64(episode.bodies[step, 1]))
        if row < 0:
            continue
        if result == answer:
            memory.scores[row] += episode.action_scores[step] + values.end_right
            memory.support[row] += 1
        elif 0 <= result < known:
            memory.scores[row] += values.end_wrong
        else:
            memory.scores[row] += episode.action_scores[step]
        if is_simple:
            is_wrong = 0 <= result < known and result != answer
            memory.scores[row] += values.simple_wrong if is_wrong else values.simple_true


@njit_inner
def decay_scores(memory: MemoryArrays, values: ScoreValues, known: int) -> None:
    """Equation 4 for all rules, then recursive removal of the rules with a score below sigma."""
    found = False
    for row in range(memory.size[0]):
        score = memory.scores[row]
        score = score * (1.0 + values.decay) if score < 0 else score * (1.0 - values.decay)
        memory.scores[row] = score
        memory.marked[row] = score < values.threshold
        found = found or memory.marked[row]
    if found:
        remove_marked(memory, known)
