"""Kernel that updates the memory after an episode: Equation 1, Equations 2 and 3, Algorithm 1, Equation 4."""

from __future__ import annotations

from r5._util.kernels.compilation import int64, njit_outer
from r5.agent.memory.buffer_kernels import sample_relation
from r5.agent.memory.memory_kernels import MemoryArrays, add_rule, find
from r5.agent.memory.rewriting_kernels import rewrite
from r5.agent.memory.score_kernels import EpisodeArrays, ScoreValues, action_score, decay_scores, update_scores

__all__ = ["NEW", "update_memory"]

NEW = -2
"""Result of an episode whose last body was new: an invented relation, rewritten at once."""


@njit_outer
def update_memory(memory: MemoryArrays, values: ScoreValues, episode: EpisodeArrays, answer: int, known: int) -> int:
    """Replay the merges of an episode on the memory and update rules and scores.

    Heads are those of the memory at the time of the replay (Equation 1). A new last body gets the answer as its head:
    Algorithm 1 would rewrite an invented relation drawn for it at once. Where the episode uses all invented relations,
    the episode ends unfinished.

    Args:
        memory: Arrays of the memory, changed in place.
        values: Constants of Equations 2 to 4.
        episode: The merges; path and scratch are overwritten.
        answer: y, the target relation.
        known: m, the number of known relations.

    Returns:
        The relation at the end, NEW for a new last body, -1 for an unfinished episode.
    """
    path, positions = episode.path, episode.positions
    steps = positions.size
    for relation in range(memory.free.size):
        memory.used[relation] = False
    result = int64(-1)
    done = int64(0)
    for step in range(steps):
        place = positions[step]
        left, right = int64(path[place]), int64(path[place + 1])
        row = find(memory.slots, memory.bodies, left, right)
        # Equation 1: the head of the rule, else a sample of B_unkn.
        head = answer
        if row >= 0:
            head = int64(memory.heads[row])
        elif step < steps - 1:
            head = sample_relation(memory, episode.draws[step], known)
            if head < 0:
                break
        if row < 0:
            add_rule(memory, left, right, head, 0.0, int64(0))
        if head >= known:
            memory.used[head - known] = True
        episode.bodies[step, 0], episode.bodies[step, 1] = left, right
        episode.action_scores[step] = action_score(values, left, right, head, known, row < 0)
        path[place] = head
        for later in range(place + 1, path.size - step - 1):
            path[later] = path[later + 1]
        done = step + 1
        if done == steps:
            result = int64(NEW) if row < 0 else head
    update_scores(memory, values, episode, done, result, answer, known)
    if result >= known:
        rewrite(memory, result, answer, known)
    decay_scores(memory, values, known)
    return result
