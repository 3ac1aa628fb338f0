"""Voting: each path of a query answers by itself, and the answers vote with their scores.

In the paper the paths of a query are merged together, by the same pair, and give one answer: one vote.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from r5._util.ordering import sort_descending

if TYPE_CHECKING:
    from r5.agent.prediction import Answer

__all__ = ["ranking", "votes"]


def votes(answers: Sequence[Answer]) -> dict[int, float]:
    """For each relation named, the mean over all answers of the scores that name it: what it is ranked by."""
    total: defaultdict[int, float] = defaultdict(float)
    for answer in answers:
        if answer.relation is not None:
            total[answer.relation] += answer.score
    return {relation: score / len(answers) for relation, score in total.items()}


def ranking(found: dict[int, float]) -> list[int]:
    """The relations with the most votes first; of equals the smaller name."""
    return sort_descending(found, found.__getitem__, key=int)
