"""Trial queries: training queries answered as in prediction, by which the epoch and the restart are chosen.

The training fit counts episodes that end in an answer that search mostly sees. Trial queries measure how often the
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

__all__ = ["TrialQueries"]

_MAX_QUERIES = 500
"""Maximum number of distinct queries."""
_BATCH = 64
"""Number of queries between two checks of the time limit."""


class TrialQueries:
    """A sample of the distinct training queries with the answers of their examples.

    Args:
        queries: Training examples.
        seed: Seed of the sample.
        limit: Maximum number of distinct queries.

    Attributes:
        answers: Number of examples with each answer, for each query.
    """

    def __init__(self, queries: Sequence[TrainingQuery], seed: int, limit: int = _MAX_QUERIES) -> None:
        answers: defaultdict[Paths, Counter[int]] = defaultdict(Counter)
        for query in queries:
            answers[query.paths][query.answer] += 1
        distinct = list(answers)
        if len(distinct) > limit:
            rows = np.random.default_rng(seed % 2**64).choice(len(distinct), limit, replace=False)
            distinct = [distinct[row] for row in np.sort(rows).tolist()]
        self.answers = {query: answers[query] for query in distinct}

    def share_right(self, solver: Solver, tick: Callable[[int], None]) -> float:
        """Return the share of the examples that are answered right.

        Args:
            solver: The model to measure.
            tick: Called with 0 after each batch of queries.
        """
        queries, right = list(self.answers), 0
        for start in range(0, len(queries), _BATCH):
            batch = queries[start : start + _BATCH]
            for query, answers in zip(batch, solver.answer(batch), strict=True):
                ranked = rank_votes(count_votes(answers))
                right += self.answers[query][ranked[0]] if ranked else 0
            tick(0)
        return right / sum(counts.total() for counts in self.answers.values())
