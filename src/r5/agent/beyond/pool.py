"""Pool: the last of several restarts begins with the rules that the others ended with.

Where rules must be inferred, each restart ends with a wrong head or two even of frequent bodies, which it does not
unlearn: its other rules have come to fit them. But each errs about other bodies, so together they know better.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import sort_descending
from r5.agent.beyond.association import Body
from r5.agent.memory import RuleMemory

__all__ = ["Pool"]


class Pool:
    """What finished restarts learned about known relations; invented ones mean something else in each."""

    def __init__(self, rules: NDArray[np.int64] | None = None, scores: NDArray[np.float64] | None = None) -> None:
        self._found: list[tuple[Body, int, float]] = []
        if rules is not None and scores is not None:
            rows = zip(rules.tolist(), scores.tolist(), strict=True)
            self._found = [((left, right), head, score) for (left, right, head), score in rows]

    def add(self, memory: RuleMemory) -> None:
        """Take in the rules that a restart ended with, those with a score above 0."""
        self._found += [
            (body, head, score)
            for body, head, score, _ in memory.items()
            if score > 0 and max(*body, head) < memory.known
        ]

    def fill(self, memory: RuleMemory, restarts: int) -> None:
        """Let an empty memory begin with them: of each body the head with the most score, its mean over restarts."""
        totals: defaultdict[Body, defaultdict[int, float]] = defaultdict(lambda: defaultdict(float))
        for body, head, score in self._found:
            totals[body][head] += score
        rules = []
        for body in sorted(totals):
            head = sort_descending(totals[body], totals[body].__getitem__, key=int)[0]
            rules.append((body, head, totals[body][head] / restarts, 0))
        memory.put(rules)

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """All that was taken in, for a checkpoint: body and head of each rule, [rules, 3], and its score."""
        rules = np.array([(*body, head) for body, head, _ in self._found], dtype=np.int64).reshape(-1, 3)
        return rules, np.array([score for _, _, score in self._found])
