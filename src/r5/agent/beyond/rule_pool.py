"""Pooled rules: the last of several restarts begins with the rules of the other restarts.

Where all rules must be inferred, each restart ends with a few wrong heads, even of frequent bodies, which it does not
unlearn: its other rules have come to fit them. Restarts err about different bodies, so the sum of their scores is right
more often.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import sort_descending
from r5.agent.memory.rule_memory import Body, RuleMemory

__all__ = ["RulePool"]


class RulePool:
    """Rules about known relations from finished restarts; an invented relation differs between restarts.

    Args:
        rules: Body and head of each rule, [rules, 3], from `arrays`.
        scores: Score of each rule, [rules], from `arrays`.
    """

    def __init__(self, rules: NDArray[np.int64] | None = None, scores: NDArray[np.float64] | None = None) -> None:
        self._rules: list[tuple[Body, int, float]] = []
        if rules is not None and scores is not None:
            rows = zip(rules.tolist(), scores.tolist(), strict=True)
            self._rules = [((left, right), head, score) for (left, right, head), score in rows]

    def add(self, memory: RuleMemory) -> None:
        """Add the rules of a finished restart that have a positive score."""
        self._rules += [
            (body, head, score)
            for body, head, score, _ in memory.items()
            if score > 0 and max(*body, head) < memory.known
        ]

    def fill(self, memory: RuleMemory, restarts: int) -> None:
        """Fill an empty memory: for each body the head with the largest sum of scores, with its mean over `restarts`.

        Ties go to the smaller head.
        """
        totals: defaultdict[Body, defaultdict[int, float]] = defaultdict(lambda: defaultdict(float))
        for body, head, score in self._rules:
            totals[body][head] += score
        rules = []
        for body in sorted(totals):
            head = sort_descending(totals[body], totals[body].__getitem__, key=int)[0]
            rules.append((body, head, totals[body][head] / restarts, 0))
        memory.replace(rules)

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the pool for a checkpoint: body and head of each rule, [rules, 3], and its score, [rules]."""
        rules = np.array([(*body, head) for body, head, _ in self._rules], dtype=np.int64).reshape(-1, 3)
        return rules, np.array([score for _, _, score in self._rules])
