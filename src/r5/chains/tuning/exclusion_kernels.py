"""Compiled kernels of mutual exclusion: co-occurrence of relations, penalties of scores, and ranks by weighted sums."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner
from r5._util.kernels.elementary_kernels import exp_of, log_of

__all__ = ["GRID", "count_together", "exclusion_penalties", "rank_with_weights"]

Array = NDArray[Any]
GRID = 2.0**30
"""Scores are compared as multiples of 1 / GRID, so that the order of summation decides no tie."""


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
def exclusion_penalties(
    scores: Array, others: Array, log_odds: Array, answer: int, strength: float, penalties: Array
) -> None:
    """Compute the penalty of each score at strength 1.

    Args:
        scores: Scores by the relation of the query, [entities].
        others: Scores by each excluding relation, [excluding, entities].
        log_odds: Log-odds of each excluding relation, [excluding].
        answer: Penalties of candidates that are below this one at any strength up to `strength` are not needed and
            stay 0; -1 to compute all.
        strength: The greatest strength.
        penalties: The result, 0 at first, [entities].
    """
    least = -np.inf
    if answer >= 0:
        least = scores[answer] - strength * penalty_of(scores, others, log_odds, answer) - 2.0 / GRID
    for entity in range(scores.size):
        if scores[entity] >= least:
            penalties[entity] = penalty_of(scores, others, log_odds, entity)


@njit_free
def rank_with_weights(parts: Array, weights: Array, answer: int, known: Array, flags: Array, ranks: Array) -> None:
    """Count the candidates above an answer and tied with it, for several weights of the parts of the scores.

    Args:
        parts: Parts of the scores, [parts, entities].
        weights: Weights of all parts but the first, whose weight is 1, [trials, parts - 1].
        answer: The answer.
        known: Known answers, which are not counted.
        flags: Scratch, all false before and after, [entities].
        ranks: Output, [trials, 2].
    """
    for i in range(known.size):
        flags[known[i]] = True
    for trial in range(weights.shape[0]):
        own = weighted_score(parts, weights[trial], int64(answer))
        above, tied = int64(0), int64(0)
        for entity in range(parts.shape[1]):
            if entity == answer or flags[entity]:
                continue
            value = weighted_score(parts, weights[trial], int64(entity))
            above += value > own
            tied += value == own
        ranks[trial, 0], ranks[trial, 1] = above, tied
    for i in range(known.size):
        flags[known[i]] = False


@njit_inner
def weighted_score(parts: Array, weights: Array, entity: int) -> float:
    """Return the score of an entity, rounded to the grid."""
    score = parts[0, entity]
    for part in range(weights.size):
        score += weights[part] * parts[part + 1, entity]
    return float(np.rint(score * GRID))
