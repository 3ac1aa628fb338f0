"""Training: episodes in lock-step, then the rule memory and the network learn from them (Section 2, Appendix A)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from r5.agent.episodes import Episode, play
from r5.agent.memory import RuleMemory
from r5.agent.replay import ReplayBuffer
from r5.agent.rewriting import equate
from r5.agent.search import Forest
from r5.agent.settings import Settings
from r5.agent.state import Paths, States, uniform
from r5.errors import need
from r5.relations import Vocabulary

if TYPE_CHECKING:
    from r5.agent.network import Trainer

__all__ = ["EpochResult", "Lesson", "Training"]


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is learned from: the paths of a query and its answer."""

    paths: Paths
    answer: int


@dataclass(frozen=True, slots=True)
class EpochResult:
    """How an epoch went."""

    epoch: int
    episodes: int
    right: int
    """Episodes that ended in the answer, z = 1."""
    invented: int
    """Episodes that ended in an invented relation, z = 0."""
    loss: float
    rules: int
    invented_in_use: int

    @property
    def fit(self) -> float:
        """The share of episodes that ended in the answer."""
        return self.right / max(self.episodes, 1)


class Training:
    """All that changes while the agent learns: memory, network, replay buffer, random numbers, epochs done."""

    def __init__(self, vocabulary: Vocabulary, settings: Settings, lessons: Sequence[Lesson], restart: int = 0) -> None:
        self.settings = settings
        self.lessons = lessons
        self.rng = np.random.default_rng([settings.seed % 2**64, restart])
        self.memory = RuleMemory(vocabulary, settings)
        self.memory.observed[:] = _observed(lessons, len(vocabulary), settings)
        self.trainer = _trainer(len(vocabulary.known) + 2, settings) if settings.network else None
        self.replay = ReplayBuffer(settings.replay_size)
        self.states = States(self.memory, uniform, settings.extra_features, settings.lean)
        self.forest = Forest()
        self.epoch = 0
        if self.trainer is not None:
            self.states.evaluate = self.trainer.evaluator()

    def run_epoch(self, tick: Callable[[int], None] | None = None) -> EpochResult:
        """One pass over the lessons: by the longest path in the first epoch, else in random order."""
        order = self._order()
        size = self.settings.episodes_per_update
        results: list[float] = []
        losses: list[float] = []
        for start in range(0, order.size, size):
            batch = [self.lessons[i] for i in order[start : start + size].tolist()]
            results += self._learn(batch)
            loss = self._update_network()
            losses += [] if loss is None else [loss]
            if tick is not None:
                tick(len(batch))
        self.epoch += 1
        if self.settings.equate > 0:
            equate(self.memory, self.settings.equate)
        return EpochResult(
            epoch=self.epoch,
            episodes=len(results),
            right=results.count(1.0),
            invented=results.count(0.0),
            loss=float(np.mean(losses)) if losses else 0.0,
            rules=len(self.memory),
            invented_in_use=self.memory.invented_in_use,
        )

    def _order(self) -> NDArray[np.int64]:
        order = self.rng.permutation(len(self.lessons))
        if self.epoch > 0:
            return order
        longest = np.array([max(map(len, lesson.paths)) for lesson in self.lessons])
        return order[np.argsort(longest[order], kind="stable")]

    def _learn(self, batch: Sequence[Lesson]) -> list[float]:
        """Play a batch, then let the memory learn from one episode after the other; returns the rewards z_T."""
        episodes = play(
            self.states,
            self.forest,
            [lesson.paths for lesson in batch],
            self._targets(batch),
            self.settings,
            self.rng,
        )
        return [self._commit(lesson, episode) for lesson, episode in zip(batch, episodes, strict=True)]

    def _targets(self, batch: Sequence[Lesson]) -> list[int]:
        """The answers as search sees them; in some episodes after the first epoch it does not."""
        blind = self.rng.random(len(batch)) < (self.settings.blind if self.epoch > 0 else 0.0)
        return [-1 if hidden else lesson.answer for lesson, hidden in zip(batch, blind.tolist(), strict=True)]

    def _commit(self, lesson: Lesson, episode: Episode) -> float:
        path = lesson.paths[episode.path]
        draws = self.rng.random(len(episode.positions))
        result = self.memory.commit(path, episode.positions, lesson.answer, draws)
        reward = 1.0 if result == lesson.answer else -1.0 if 0 <= result < self.memory.known else 0.0
        if self.trainer is not None:
            for sample in episode.samples:
                self.replay.add(sample.pairs, sample.policy, reward)
        return reward

    def _update_network(self) -> float | None:
        if self.trainer is None or len(self.replay) < self.settings.batch_size:
            return None
        result = self.trainer.update(self.replay.sample(self.settings.batch_size, self.rng))
        self.states.evaluate = self.trainer.evaluator()
        return result.loss


def _observed(lessons: Sequence[Lesson], relations: int, settings: Settings) -> NDArray[np.float64]:
    """How often each relation is on a path, in units of the score that a rule used as often settles at."""
    counts = np.zeros(relations)
    for lesson in lessons:
        for path in lesson.paths:
            np.add.at(counts, np.asarray(path), 1 / len(lesson.paths))
    scale = (settings.known_rule + settings.end_right) / max(settings.decay, 1e-6)
    return counts / max(len(lessons), 1) * scale


def _trainer(types: int, settings: Settings) -> Trainer:
    try:
        from r5.agent.network import Trainer
    except ModuleNotFoundError:
        raise need("torch", "torch") from None
    return Trainer(types, settings)
