"""Compiled kernels of mutual exclusion: co-occurrence of relations, and scores reduced by exclusions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner
from r5._util.kernels.elementary_kernels import exp_of, log_of

__all__ = ["GRID", "ExclusionScores", "Strengths", "count_together", "exclusion_penalties", "rank_with_exclusions"]

Array = NDArray[Any]
GRID = 2.0**30
"""Scores are compared as multiples of 1 / GRID, so that the order of summation decides no tie."""


class ExclusionScores(NamedTuple):
    """Scores of the candidates of a query, by its relation and by the relations that exclude it."""

    scores: Array  # [entities]
    others: Array  # [excluding, entities], by each excluding relation
    log_odds: Array  # [excluding]


class Strengths(NamedTuple):
    """Strengths to try: score - exclusion * penalty + offset * offsets."""

    exclusion: Array  # [trials]
    offset: Array  # [trials]
    offsets: Array  # [entities]


@njit_free
def count_together(relations: Array, starts: Array, counts: Array) -> None:
    """Count the groups that have both of two relations.

    Args:
        relations: Relations of the groups, one group after the other.
        starts: Start of each group and the end of the last, [groups + 1].
        counts: The counts, added to, [relations, relations].
    """
    for group in range(starts.size - 1):
        for one in range(starts[group], starts[group + 1]):
            for other in range(starts[group], starts[group + 1]):
                counts[relations[one], relations[other]] += 1


@njit_inner
def penalty_of(scores: Array, others: Array, log_odds: Array, entity: int) -> float:
    """Return log(1 + sum of odds * exp(other score - score)) of an entity; at least 0."""
    highest = 0.0
    for excluding in range(log_odds.size):
        highest = max(highest, others[excluding, entity] + log_odds[excluding] - scores[entity])
    total = exp_of(-highest)
    for excluding in range(log_odds.size):
        total += exp_of(others[excluding, entity] + log_odds[excluding] - scores[entity] - highest)
    return highest + log_of(total)


@njit_free
def exclusion_penalties(scores: Array, others: Array, log_odds: Array, penalties: Array) -> None:
    """Compute the penalty of each score at strength 1.

    Args:
        scores: Scores by the relation of the query, [entities].
        others: Scores by each excluding relation, [excluding, entities].
        log_odds: Log-odds of each excluding relation, [excluding].
        penalties: The result, [entities].
    """
    for entity in range(scores.size):
        penalties[entity] = penalty_of(scores, others, log_odds, entity)


@njit_free
def rank_with_exclusions(
    candidates: ExclusionScores, strengths: Strengths, answer: int, known: Array, marks: Array, ranks: Array
) -> None:
    """Count the candidates above an answer and tied with it, for each strength.

    Penalties only lower scores, so candidates below the answer without their penalty are skipped.

    Args:
        candidates: Scores of the candidates.
        strengths: Strengths to try.
        answer: The answer.
        known: Known answers, which are not counted.
        marks: Scratch, all false before and after, [entities].
        ranks: The result, [trials, 2].
    """
    scores, others, log_odds = candidates.scores, candidates.others, candidates.log_odds
    offsets = strengths.offsets
    for i in range(known.size):
        marks[known[i]] = True
    for trial in range(strengths.exclusion.size):
        strength, offset_strength = strengths.exclusion[trial], strengths.offset[trial]
        own = scores[answer]
        if strength > 0.0:
            own -= strength * penalty_of(scores, others, log_odds, answer)
        own = np.rint((own + offset_strength * offsets[answer]) * GRID)
        above, tied = int64(0), int64(0)
        for entity in range(scores.size):
            if (
                np.rint((scores[entity] + offset_strength * offsets[entity]) * GRID) < own
                or entity == answer
                or marks[entity]
            ):
                continue
            value = scores[entity]
            if strength > 0.0:
                value -= strength * penalty_of(scores, others, log_odds, entity)
            value = np.rint((value + offset_strength * offsets[entity]) * GRID)
            above += value > own
            tied += value == own
        ranks[trial, 0], ranks[trial, 1] = above, tied
    for i in range(known.size):
        marks[known[i]] = False
