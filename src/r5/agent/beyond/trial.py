"""Trial questions: training questions answered as in prediction, by which epoch and restart are chosen.

The training fit says how often episodes end in an answer that search mostly sees; what counts is how often the rules
lead there when it does not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from r5.agent.beyond.voting import ranking, votes
from r5.agent.prediction import Solver
from r5.agent.state import Paths
from r5.agent.training import TrainingQuery

__all__ = ["Trial"]

_MOST_QUESTIONS = 500
"""Distinct questions that are asked."""
_AT_ONCE = 64
"""Questions asked between two looks at the clock."""


class Trial:
    """Some of the distinct training questions, each with the answers that the examples give to it."""

    def __init__(self, queries: Sequence[TrainingQuery], seed: int) -> None:
        answers: defaultdict[Paths, Counter[int]] = defaultdict(Counter)
        for query in queries:
            answers[query.paths][query.answer] += 1
        questions = list(answers)
        if len(questions) > _MOST_QUESTIONS:
            rows = np.random.default_rng(seed % 2**64).choice(len(questions), _MOST_QUESTIONS, replace=False)
            questions = [questions[row] for row in np.sort(rows).tolist()]
        self.answers = {question: answers[question] for question in questions}

    def share_right(self, solver: Solver, tick: Callable[[int], None]) -> float:
        """The share of the examples with these questions that are answered right; ticks between parts."""
        questions, right = list(self.answers), 0
        for start in range(0, len(questions), _AT_ONCE):
            part = questions[start : start + _AT_ONCE]
            for question, several in zip(part, solver.answer(part), strict=True):
                best = ranking(votes(several))
                right += self.answers[question][best[0]] if best else 0
            tick(0)
        return right / sum(counts.total() for counts in self.answers.values())
