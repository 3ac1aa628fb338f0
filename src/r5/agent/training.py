"""Training: episodes in lock-step, then the rule memory and the network learn from them (Section 2, Appendix A)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from r5.agent.beyond import shares
from r5.agent.beyond.equate import equate
from r5.agent.episode import Episode, play
from r5.agent.memory import RuleMemory
from r5.agent.replay import ReplayBuffer
from r5.agent.search import Forest
from r5.agent.settings import R5Settings
from r5.agent.state import Paths, States, uniform
from r5.errors import need
from r5.relations import Vocabulary

if TYPE_CHECKING:
    from r5.agent.network import Trainer

__all__ = ["EpochResult", "Training", "TrainingQuery"]


@dataclass(frozen=True, slots=True)
class TrainingQuery:
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

    def __init__(
        self, vocabulary: Vocabulary, settings: R5Settings, queries: Sequence[TrainingQuery], restart: int = 0
    ) -> None:
        self.settings = settings
        self.queries = queries
        self.rng = np.random.default_rng([settings.seed % 2**64, restart])
        self.memory = RuleMemory(vocabulary, settings)
        self.memory.observed[:] = shares.observed([query.paths for query in queries], len(vocabulary), settings)
        self.trainer = _trainer(len(vocabulary.known) + 2, settings, restart) if settings.network else None
        self.replay = ReplayBuffer(settings.replay_size)
        # What an epoch has at the least: a larger batch would never come together, and the network never learn.
        states = sum(min(map(len, query.paths)) - 1 for query in queries)
        self.batch_size = min(settings.batch_size, settings.replay_size, max(states, 1))
        self.states = States(self.memory, uniform, settings)
        self.forest = Forest(settings.solved_nodes, settings.free_visits)
        self.epoch = 0
        if self.trainer is not None:
            self.states.evaluate = self.trainer.evaluator()

    def run_epoch(self, tick: Callable[[int], None] | None = None) -> EpochResult:
        """One pass over the queries: by the longest path in the first epoch, else in random order."""
        order = self._order()
        size = self.settings.episodes_per_update
        results: list[float] = []
        losses: list[float] = []
        for start in range(0, order.size, size):
            batch = [self.queries[i] for i in order[start : start + size].tolist()]
            results += self._learn(batch)
            loss = self._update_network()
            losses += [] if loss is None else [loss]
            if tick is not None:
                tick(len(batch))
        self.epoch += 1
        if self.settings.equate > 0:
            equate(self.memory, self.settings.equate, self.settings.associate)
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
        order = self.rng.permutation(len(self.queries))
        if self.epoch > 0:
            return order
        longest = np.array([max(map(len, query.paths)) for query in self.queries])
        return order[np.argsort(longest[order], kind="stable")]

    def _learn(self, batch: Sequence[TrainingQuery]) -> list[float]:
        """Play a batch, then let the memory learn from one episode after the other; returns the rewards z_T."""
        episodes = play(
            self.states,
            self.forest,
            [query.paths for query in batch],
            self._targets(batch),
            self.settings,
            self.rng,
        )
        return [self._commit(query, episode) for query, episode in zip(batch, episodes, strict=True)]

    def _targets(self, batch: Sequence[TrainingQuery]) -> list[int]:
        """The answers as search sees them; in some episodes after the first epoch it does not."""
        hidden_answers = self.rng.random(len(batch)) < (self.settings.hidden_answers if self.epoch > 0 else 0.0)
        return [-1 if hidden else query.answer for query, hidden in zip(batch, hidden_answers.tolist(), strict=True)]

    def _commit(self, query: TrainingQuery, episode: Episode) -> float:
        path = query.paths[episode.path]
        draws = self.rng.random(len(episode.positions))
        result = self.memory.commit(path, episode.positions, query.answer, draws)
        reward = 1.0 if result == query.answer else -1.0 if 0 <= result < self.memory.known else 0.0
        if self.trainer is not None:
            for sample in episode.samples:
                self.replay.add(sample.pairs, sample.policy, reward)
        return reward

    def _update_network(self) -> float | None:
        if self.trainer is None or len(self.replay) < self.batch_size:
            return None
        result = self.trainer.update(self.replay.sample(self.batch_size, self.rng))
        self.states.evaluate = self.trainer.evaluator()
        return result.loss


def _trainer(types: int, settings: R5Settings, restart: int) -> Trainer:
    try:
        from r5.agent.network import Trainer
    except ModuleNotFoundError:
        raise need("torch", "torch") from None
    return Trainer(types, settings, restart)
