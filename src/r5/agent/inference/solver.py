"""Solver: answers to queries by search over a frozen memory, one relation path or several together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from r5._util.kernels.elementary_kernels import exp
from r5.agent.beyond.rule_shares import log_shares
from r5.agent.episode import Episode, play
from r5.agent.memory.rule_memory import RuleMemory
from r5.agent.search.forest import Forest
from r5.agent.settings import R5Settings
from r5.agent.state.states import Evaluator, Paths, States

__all__ = ["Answer", "Solver"]

PathGroup = tuple[tuple[int, ...], ...]
"""Relation paths that get one answer: one path with `vote`, all paths of a query with `together`."""

_MAX_PARALLEL = 64
"""Maximum number of path groups searched in lock-step."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of one derivation."""

    path: int
    """Index of the path among those of the group."""
    relation: int | None
    """Known relation at the end; None for an invalid prediction (Appendix B)."""
    score: float
    """0 without an answer; else 1 or, with `ending_value="shares"`, the geometric mean of the rules' shares."""
    positions: tuple[int, ...]
    """Place of the pair that each step merges."""
    heads: tuple[int, ...]
    """a_H of each step."""
    rule_scores: tuple[float | None, ...]
    """D_rls of each rule; None for a body without a rule."""
    missing: tuple[int, int] | None
    """First body without a rule."""


class Solver:
    """Answers queries by search over a frozen memory, with a cache of answers.

    Args:
        memory: The rules.
        evaluate: The policy-value network or `uniform`.
        settings: Hyperparameters.
    """

    max_searched = 10_000_000
    """Maximum number of relations in all states of the path groups searched in lock-step."""
    max_cached = 100_000
    """Number of cached answers above which the cache is cleared, some 500 bytes each."""

    def __init__(self, memory: RuleMemory, evaluate: Evaluator, settings: R5Settings) -> None:
        self.memory = memory
        self.settings = replace(settings, simulations=settings.answer_simulations)
        self.states = States(memory, evaluate, settings)
        self.forest = Forest(settings.solved_nodes, settings.free_visits)
        self._log_shares = log_shares(memory)
        self._cache: dict[PathGroup, Answer] = {}

    def answer(self, queries: Sequence[Paths]) -> list[list[Answer]]:
        """Answer queries without sight of their targets.

        Args:
            queries: Paths of each query.

        Returns:
            The answers of each query: one a path with `vote`, one in all with `together`.
        """
        if len(self._cache) > self.max_cached:
            self._cache.clear()
        grouped = [self._groups(paths) for paths in queries]
        new = list(dict.fromkeys(group for groups in grouped for group in groups if group not in self._cache))
        for batch in self._batches(new):
            episodes = play(self.states, self.forest, batch, [-1] * len(batch), self.settings, None)
            for group, episode in zip(batch, episodes, strict=True):
                self._cache[group] = self._answer_of(episode)
        return [[self._cache[group] for group in groups] for groups in grouped]

    def answer_as(self, paths: Paths, relation: int) -> list[Answer]:
        """Answer one query with the target relation in sight, as in training."""
        groups = self._groups(paths)
        episodes = play(self.states, self.forest, groups, [relation] * len(groups), self.settings, None)
        return [self._answer_of(episode) for episode in episodes]

    def _batches(self, groups: Sequence[PathGroup]) -> Iterator[list[PathGroup]]:
        """Yield the groups in batches whose search trees fit in memory together."""
        batch: list[PathGroup] = []
        budget = self.max_searched
        for group in groups:
            size = self.settings.simulations * sum(map(len, group))
            if batch and (len(batch) == _MAX_PARALLEL or size > budget):
                yield batch
                batch, budget = [], self.max_searched
            batch.append(group)
            budget -= size
        if batch:
            yield batch

    def _groups(self, paths: Paths) -> list[PathGroup]:
        """Return the path groups of a query; paths of one relation are left out."""
        rows = [tuple(path) for path in paths if len(path) > 1]
        if self.settings.combine == "together":
            return [tuple(rows)] if rows else []
        return [(row,) for row in rows]

    def _answer_of(self, episode: Episode) -> Answer:
        """Return the answer of an episode, with the scores of its rules."""
        memory = self.memory
        rows = [memory.row_of(left, right) for left, right, _ in episode.actions]
        missing = [body[:2] for body, row in zip(episode.actions, rows, strict=True) if row < 0]
        is_known = not missing and episode.result < memory.known
        return Answer(
            path=episode.path,
            relation=episode.result if is_known else None,
            score=self._score(rows) if is_known else 0.0,
            positions=tuple(episode.positions),
            heads=tuple(head for _, _, head in episode.actions),
            rule_scores=tuple(float(memory.arrays.scores[row]) if row >= 0 else None for row in rows),
            missing=missing[0] if missing else None,
        )

    def _score(self, rows: Sequence[int]) -> float:
        """Return the score of a derivation by the rules in these rows."""
        if self.settings.ending_value != "shares":
            return 1.0
        return float(exp(math.fsum(self._log_shares[rows]) / len(rows)))
