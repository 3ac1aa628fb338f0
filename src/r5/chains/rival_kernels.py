"""Compiled kernels of rivals: which relations are found together, and how far a score gives way."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from r5._util.elementary_kernels import exp_of, log_of
from r5._util.kernels import njit_free

__all__ = ["count_together", "give_way"]

Array = NDArray[Any]


@njit_free
def count_together(relations: Array, starts: Array, counts: Array) -> None:
    """Count, for each two relations, the groups that have both; a group goes from one start to the next."""
    for group in range(starts.size - 1):
        for one in range(starts[group], starts[group + 1]):
            for other in range(starts[group], starts[group + 1]):
                counts[relations[one], relations[other]] += 1


@njit_free
def give_way(scores: Array, others: Array, odds: Array, less: Array) -> None:
    """What each score would lose at a force of 1: log(1 + sum of odds * exp(rival's score - score)).

    `others` are the scores of the rivals, [rivals, entities], and `odds` are logarithms.
    """
    for entity in range(scores.size):
        highest = 0.0
        for rival in range(odds.size):
            highest = max(highest, others[rival, entity] + odds[rival] - scores[entity])
        total = exp_of(-highest)
        for rival in range(odds.size):
            total += exp_of(others[rival, entity] + odds[rival] - scores[entity] - highest)
        less[entity] = highest + log_of(total)
