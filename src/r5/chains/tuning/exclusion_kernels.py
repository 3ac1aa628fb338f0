"""Compiled kernels of rivals: which relations are found together, and how far a score gives way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner
from r5._util.kernels.elementary_kernels import exp_of, log_of

__all__ = ["GRID", "count_together", "exclusion_penalties", "rank_with_exclusions"]

Array = NDArray[Any]
GRID = 2.0**30
"""Scores are compared after rounding to a multiple of 1 / GRID, so that the order of sums decides no tie."""


@njit_free
def count_together(relations: Array, starts: Array, counts: Array) -> None:
    """Count, for each two relations, the groups that have both; a group goes from one start to the next."""
    for group in range(starts.size - 1):
        for one in range(starts[group], starts[group + 1]):
            for other in range(starts[group], starts[group + 1]):
                counts[relations[one], relations[other]] += 1


@njit_inner
def less_of(scores: Array, others: Array, log_odds: Array, entity: int) -> float:
    """What one score would lose at a force of 1: log(1 + sum of odds * exp(rival's score - score)); at least 0."""
    highest = 0.0
    for excluding in range(log_odds.size):
        highest = max(highest, others[excluding, entity] + log_odds[excluding] - scores[entity])
    total = exp_of(-highest)
    for excluding in range(log_odds.size):
        total += exp_of(others[excluding, entity] + log_odds[excluding] - scores[entity] - highest)
    return highest + log_of(total)


@njit_free
def exclusion_penalties(scores: Array, others: Array, log_odds: Array, less: Array) -> None:
    """What each score would lose at a force of 1; `others` are the rivals' scores, [rivals, entities]."""
    for entity in range(scores.size):
        less[entity] = less_of(scores, others, log_odds, entity)


@njit_free
def rank_with_exclusions(
    scores: Array,
    others: Array,
    log_odds: Array,
    strengths: Array,
    offset_strengths: Array,
    more: Array,
    answer: int,
    known: Array,
    marks: Array,
    found: Array,
) -> None:
    """How many candidates are above an answer and how many beside it, known answers aside: `found`, [tried, 2].

    Each force and strength is tried: scores give way by the force, and `more` times the strength is added afterwards.
    No score rises by giving way, so those that are below the answer before are not looked at. `marks` are left as
    found.
    """
    for i in range(known.size):
        marks[known[i]] = True
    for tried in range(strengths.size):
        strength, offset_strength = strengths[tried], offset_strengths[tried]
        own = scores[answer]
        if strength > 0.0:
            own -= strength * less_of(scores, others, log_odds, answer)
        own = np.rint((own + offset_strength * more[answer]) * GRID)
        above, same = int64(0), int64(0)
        for entity in range(scores.size):
            if (
                np.rint((scores[entity] + offset_strength * more[entity]) * GRID) < own
                or entity == answer
                or marks[entity]
            ):
                continue
            value = scores[entity]
            if strength > 0.0:
                value -= strength * less_of(scores, others, log_odds, entity)
            value = np.rint((value + offset_strength * more[entity]) * GRID)
            above += value > own
            same += value == own
        found[tried, 0], found[tried, 1] = above, same
    for i in range(known.size):
        marks[known[i]] = False
