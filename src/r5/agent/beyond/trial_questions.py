"""Trial questions: training queries answered as in prediction, by which the epoch and the restart are chosen.

The training fit counts episodes that end in an answer that search mostly sees. Trial questions measure how often the
rules lead to the answer when search does not see it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from r5.agent.beyond.voting import count_votes, rank_votes
from r5.agent.inference.solver import Solver
from r5.agent.state.states import Paths
from r5.agent.training.training import TrainingQuery

__all__ = ["TrialQuestions"]

_MAX_QUESTIONS = 500
"""Maximum number of distinct questions."""
_BATCH = 64
"""Number of questions between two checks of the time limit."""


class TrialQuestions:
    """A sample of the distinct training queries with the answers of their examples.

    Args:
        queries: Training examples.
        seed: Seed of the sample.
        limit: Maximum number of distinct questions.

    Attributes:
        answers: Number of examples with each answer, for each question.
    """

    def __init__(self, queries: Sequence[TrainingQuery], seed: int, limit: int = _MAX_QUESTIONS) -> None:
        answers: defaultdict[Paths, Counter[int]] = defaultdict(Counter)
        for query in queries:
            answers[query.paths][query.answer] += 1
        questions = list(answers)
        if len(questions) > limit:
            rows = np.random.default_rng(seed % 2**64).choice(len(questions), limit, replace=False)
            questions = [questions[row] for row in np.sort(rows).tolist()]
        self.answers = {question: answers[question] for question in questions}

    def share_right(self, solver: Solver, tick: Callable[[int], None]) -> float:
        """Return the share of the examples that are answered right.

        Args:
            solver: The model to measure.
            tick: Called with 0 after each batch of questions.
        """
        questions, right = list(self.answers), 0
        for start in range(0, len(questions), _BATCH):
            batch = questions[start : start + _BATCH]
            for question, answers in zip(batch, solver.answer(batch), strict=True):
                ranked = rank_votes(count_votes(answers))
                right += self.answers[question][ranked[0]] if ranked else 0
            tick(0)
        return right / sum(counts.total() for counts in self.answers.values())
