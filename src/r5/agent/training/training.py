"""Training: episodes in lock-step, from which the rule memory and the network learn (Section 2, Appendix A)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from r5.agent.beyond.equivalence import rewrite_equivalent
from r5.agent.beyond.rule_shares import observed_scores
from r5.agent.episode import Episode, play
from r5.agent.memory.rule_memory import RuleMemory
from r5.agent.network.replay import ReplayBuffer
from r5.agent.search.forest import Forest
from r5.agent.settings import R5Settings
from r5.agent.state.states import Paths, States, uniform
from r5.errors import need
from r5.relations import Vocabulary

if TYPE_CHECKING:
    from r5.agent.network.trainer import Trainer

__all__ = ["EpochResult", "Training", "TrainingQuery"]


@dataclass(frozen=True, slots=True)
class TrainingQuery:
    """A training example: the paths of a query and its answer."""

    paths: Paths
    answer: int
    """y, the target relation."""


@dataclass(frozen=True, slots=True)
class EpochResult:
    """Counts and mean loss of one epoch."""

    epoch: int
    episodes: int
    right: int
    """Episodes that ended in the answer, z = 1."""
    invented: int
    """Episodes with z = 0: they ended in an invented relation, or did not finish."""
    loss: float
    rules: int
    """Rules in the memory after the epoch."""
    invented_in_use: int
    """Invented relations in the memory after the epoch."""

    @property
    def fit(self) -> float:
        """Share of the episodes that ended in the answer."""
        return self.right / max(self.episodes, 1)


class Training:
    """All state that changes during training: memory, network, replay buffer, random generator, number of epochs.

    Args:
        vocabulary: Known and invented relations.
        settings: Hyperparameters.
        queries: Training examples.
        restart: Number of the restart, part of the seed.
    """

    def __init__(
        self, vocabulary: Vocabulary, settings: R5Settings, queries: Sequence[TrainingQuery], restart: int = 0
    ) -> None:
        self.settings = settings
        self.queries = queries
        self.rng = np.random.default_rng([settings.seed % 2**64, restart])
        self.memory = RuleMemory(vocabulary, settings)
        self.memory.observed[:] = observed_scores([query.paths for query in queries], len(vocabulary), settings)
        self.trainer = _trainer(len(vocabulary.known) + 2, settings, restart) if settings.network else None
        self.replay = ReplayBuffer(settings.replay_size)
        # At most the number of states in an epoch: a larger batch would never fill, and the network never learn.
        states = sum(min(map(len, query.paths)) - 1 for query in queries)
        self.batch_size = min(settings.batch_size, settings.replay_size, max(states, 1))
        self.states = States(self.memory, uniform, settings)
        self.forest = Forest(settings.solved_nodes, settings.free_visits)
        self.epoch = 0
        if self.trainer is not None:
            self.states.evaluate = self.trainer.evaluator()

    def run_epoch(self, tick: Callable[[int], None] | None = None) -> EpochResult:
        """Make one pass over the queries: by the longest path in the first epoch, then in random order.

        Args:
            tick: Called with the number of episodes after each batch.
        """
        order = self._order()
        size = self.settings.episodes_per_update
        rewards: list[float] = []
        losses: list[float] = []
        for start in range(0, order.size, size):
            batch = [self.queries[i] for i in order[start : start + size].tolist()]
            rewards += self._learn(batch)
            loss = self._update_network()
            losses += [] if loss is None else [loss]
            if tick is not None:
                tick(len(batch))
        self.epoch += 1
        if self.settings.equivalence_threshold > 0:
            rewrite_equivalent(self.memory, self.settings.equivalence_threshold, self.settings.associativity)
        return EpochResult(
            epoch=self.epoch,
            episodes=len(rewards),
            right=rewards.count(1.0),
            invented=rewards.count(0.0),
            loss=float(np.mean(losses)) if losses else 0.0,
            rules=len(self.memory),
            invented_in_use=self.memory.invented_in_use,
        )

    def _order(self) -> NDArray[np.int64]:
        """Return the order of the queries in this epoch, [queries] (Appendix A.3)."""
        order = self.rng.permutation(len(self.queries))
        if self.epoch > 0:
            return order
        longest = np.array([max(map(len, query.paths)) for query in self.queries])
        return order[np.argsort(longest[order], kind="stable")]

    def _learn(self, batch: Sequence[TrainingQuery]) -> list[float]:
        """Play a batch and update the memory from one episode after the other; return the rewards z_T."""
        episodes = play(
            self.states,
            self.forest,
            [query.paths for query in batch],
            self._targets(batch),
            self.settings,
            self.rng,
        )
        return [self._update_memory(query, episode) for query, episode in zip(batch, episodes, strict=True)]

    def _targets(self, batch: Sequence[TrainingQuery]) -> list[int]:
        """Return the answers that search sees; -1 where the answer is hidden (beyond the paper)."""
        hidden_answers = self.rng.random(len(batch)) < (self.settings.hidden_answers if self.epoch > 0 else 0.0)
        return [-1 if hidden else query.answer for query, hidden in zip(batch, hidden_answers.tolist(), strict=True)]

    def _update_memory(self, query: TrainingQuery, episode: Episode) -> float:
        """Update the memory from an episode, store its states for the network, and return z_T; 0 if unfinished."""
        path = query.paths[episode.path]
        draws = self.rng.random(len(episode.positions))
        result = self.memory.update(path, episode.positions, query.answer, draws)
        reward = 1.0 if result == query.answer else -1.0 if 0 <= result < self.memory.known else 0.0
        if self.trainer is not None:
            for sample in episode.samples:
                self.replay.add(sample.pairs, sample.policy, reward)
        return reward

    def _update_network(self) -> float | None:
        """Update the network from a batch of the replay buffer; return the loss, None for too few states."""
        if self.trainer is None or len(self.replay) < self.batch_size:
            return None
        result = self.trainer.update(self.replay.sample(self.batch_size, self.rng))
        self.states.evaluate = self.trainer.evaluator()
        return result.loss


def _trainer(types: int, settings: R5Settings, restart: int) -> Trainer:
    """Return a trainer; PyTorch is an optional dependency."""
    try:
        from r5.agent.network.trainer import Trainer
    except ModuleNotFoundError:
        raise need("torch", "torch") from None
    return Trainer(types, settings, restart)
