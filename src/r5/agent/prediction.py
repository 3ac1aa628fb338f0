"""Prediction: search with what was learned and no answer in sight, one relation path or several together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from r5._util.kernels.elementary_kernels import exp
from r5.agent.beyond.shares import log_shares
from r5.agent.episode import Episode, play
from r5.agent.memory import RuleMemory
from r5.agent.search import Forest
from r5.agent.settings import R5Settings
from r5.agent.state import Evaluator, Paths, States

__all__ = ["Answer", "Solver"]

Question = tuple[tuple[int, ...], ...]
"""Relation paths that are answered as one."""

_TOGETHER = 64
"""Queries searched in lock-step."""
_MOST_SEARCHED = 10_000_000
"""Relations in all states of queries searched in lock-step."""
_MOST_REMEMBERED = 100_000
"""Answers remembered before all are dropped, some 500 bytes each."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Where the merges of a path led."""

    path: int
    """Which of the query's paths it was."""
    relation: int | None
    """The known relation at the end, or None: an invalid prediction."""
    score: float
    """0 for no answer, else 1 or, where ends are judged by shares, the geometric mean of those of the rules used."""
    positions: tuple[int, ...]
    heads: tuple[int, ...]
    rule_scores: tuple[float | None, ...]
    """D_rls of each rule used; None for a body that is not in the memory."""
    missing: tuple[int, int] | None
    """The first body that has no rule."""


class Solver:
    """Answers queries by search over a frozen memory; remembers answers to paths it has met."""

    def __init__(self, memory: RuleMemory, evaluate: Evaluator, settings: R5Settings) -> None:
        self.memory = memory
        self.settings = replace(settings, simulations=settings.answer_simulations)
        self.states = States(memory, evaluate, settings)
        self.forest = Forest(settings.solved_nodes, settings.free_visits)
        self._log_shares = log_shares(memory)
        self._met: dict[Question, Answer] = {}

    def answer(self, queries: Sequence[Paths]) -> list[list[Answer]]:
        """For each query the answers of its paths, each by itself or all together, as the settings say."""
        if len(self._met) > _MOST_REMEMBERED:
            self._met.clear()
        asked = [self._questions(paths) for paths in queries]
        new = list(dict.fromkeys(q for questions in asked for q in questions if q not in self._met))
        for part in self._parts(new):
            episodes = play(self.states, self.forest, part, [-1] * len(part), self.settings, None)
            for question, episode in zip(part, episodes, strict=True):
                self._met[question] = self._read(question, episode)
        return [[self._met[question] for question in questions] for questions in asked]

    def argue(self, paths: Paths, relation: int) -> list[Answer]:
        """The answers of a query's paths where search is told which relation to reach, as it is in training."""
        questions = self._questions(paths)
        episodes = play(self.states, self.forest, questions, [relation] * len(questions), self.settings, None)
        return [self._read(question, episode) for question, episode in zip(questions, episodes, strict=True)]

    def _parts(self, questions: Sequence[Question]) -> Iterator[list[Question]]:
        """The questions in parts whose trees have room in memory together."""
        part: list[Question] = []
        room = _MOST_SEARCHED
        for question in questions:
            size = self.settings.simulations * sum(map(len, question))
            if part and (len(part) == _TOGETHER or size > room):
                yield part
                part, room = [], _MOST_SEARCHED
            part.append(question)
            room -= size
        if part:
            yield part

    def _questions(self, paths: Paths) -> list[Question]:
        rows = [tuple(path) for path in paths if len(path) > 1]
        if self.settings.combine == "together":
            return [tuple(rows)] if rows else []
        return [(row,) for row in rows]

    def _read(self, question: Question, episode: Episode) -> Answer:
        """What an episode says, with the scores of the rules it used."""
        memory = self.memory
        rows = [memory.row_of(left, right) for left, right, _ in episode.actions]
        missing = [body[:2] for body, row in zip(episode.actions, rows, strict=True) if row < 0]
        known = not missing and episode.result < memory.known
        return Answer(
            path=episode.path,
            relation=episode.result if known else None,
            score=self._worth(rows) if known else 0.0,
            positions=tuple(episode.positions),
            heads=tuple(head for _, _, head in episode.actions),
            rule_scores=tuple(float(memory.arrays.scores[row]) if row >= 0 else None for row in rows),
            missing=missing[0] if missing else None,
        )

    def _worth(self, rows: Sequence[int]) -> float:
        """What a derivation by these rules is worth."""
        return (
            float(exp(math.fsum(self._log_shares[rows]) / len(rows))) if self.settings.ending_value == "shares" else 1.0
        )
