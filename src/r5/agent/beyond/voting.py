"""Voting: each path of a query gets an answer, and the answers vote with their scores.

In the paper the same pair is merged in all paths of a query, which gives one answer: one vote.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from r5._util.ordering import sort_descending

if TYPE_CHECKING:
    from r5.agent.inference.solver import Answer

__all__ = ["count_votes", "rank_votes"]


def count_votes(answers: Sequence[Answer]) -> dict[int, float]:
    """Return the score of each relation: the mean over all answers of the scores of those that name it."""
    total: defaultdict[int, float] = defaultdict(float)
    for answer in answers:
        if answer.relation is not None:
            total[answer.relation] += answer.score
    return {relation: score / len(answers) for relation, score in total.items()}


def rank_votes(votes: dict[int, float]) -> list[int]:
    """Return the relations by score, highest first; ties go to the smaller id."""
    return sort_descending(votes, votes.__getitem__, key=int)
