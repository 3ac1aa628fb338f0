"""Restarts side by side: each is trained by a worker of a cluster from its first epoch to its last.

No restart looks at another, but for the last where rules are pooled; so what comes of it is the same wherever it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from r5._util.runtime.budget import Budget
from r5.agent import checkpoint
from r5.agent.beyond.pool import Pool
from r5.agent.beyond.trial import Trial
from r5.agent.checkpoint import Checkpoint, Snapshot, snapshot
from r5.agent.judging import FitSummary, is_over, judge
from r5.agent.prediction import Solver
from r5.agent.settings import R5Settings
from r5.agent.training import EpochResult, Training, TrainingQuery
from r5.parallel.cluster import Cluster, Shared
from r5.parallel.pickling import pack, unpack
from r5.relations import Vocabulary

__all__ = ["Ahead", "Epoch", "begun", "one_epoch", "solver_of", "trial_of"]


class Epoch(NamedTuple):
    """What an epoch came to."""

    result: EpochResult
    now: Snapshot
    answers: float | None
    """The share of trial questions that are answered right, where they are asked."""


def solver_of(learned: Snapshot, vocabulary: Vocabulary, settings: R5Settings) -> Solver:
    """What answers with what was learned."""
    return Solver(learned.memory(vocabulary, settings), learned.evaluator(), settings)


def trial_of(queries: Sequence[TrainingQuery], settings: R5Settings) -> Trial | None:
    """The questions that choose the epoch, where they do."""
    return Trial(queries, settings.seed) if settings.keep_epoch == "answers" else None


def begun(
    vocabulary: Vocabulary, settings: R5Settings, queries: Sequence[TrainingQuery], restart: int, pool: Pool
) -> Training:
    """A restart before its first epoch; the last one may know the rules of the others."""
    training = Training(vocabulary, settings, queries, restart)
    if settings.pool_rules and 0 < restart == settings.restarts - 1:
        pool.fill(training.memory, restart)
    return training


def one_epoch(training: Training, trial: Trial | None, vocabulary: Vocabulary, count: Callable[[int], None]) -> Epoch:
    """Train for an epoch, and see what it came to."""
    result = training.run_epoch(count)
    now = snapshot(training)
    answers = None if trial is None else trial.share_right(solver_of(now, vocabulary, training.settings), count)
    return Epoch(result, now, answers)


@dataclass
class _Alone:
    """Trains one restart after the other in another process."""

    vocabulary: Vocabulary
    settings: R5Settings
    packed: Shared[bytes]
    _queries: Sequence[TrainingQuery] | None = None

    def __call__(self, asked: tuple[int, Pool]) -> tuple[list[Epoch], Checkpoint]:
        """Its epochs, and where it stands after the last."""
        restart, pool = asked
        if self._queries is None:
            self._queries = unpack(self.packed.value)
        trial = trial_of(self._queries, self.settings)
        training = begun(self.vocabulary, self.settings, self._queries, restart, pool)
        so_far, epochs = FitSummary(restart=restart), []
        while not is_over(training.epoch, so_far, self.settings):
            epochs.append(one_epoch(training, trial, self.vocabulary, _unheard))
            so_far, _ = judge(so_far, epochs[-1].result, epochs[-1].answers, self.settings)
        stands = checkpoint.pack(training, self.vocabulary, self.settings, {}, epochs[-1].now, Pool(), "")
        return epochs, stands


class Ahead:
    """Restarts that the workers of a cluster train while nobody has asked for them yet."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        settings: R5Settings,
        queries: Sequence[TrainingQuery],
        cluster: Cluster,
        budget: Budget | None,
    ) -> None:
        self._work = _Alone(vocabulary, settings, cluster.share(pack(queries)))
        self._alone = settings.restarts - (settings.pool_rules and settings.restarts > 1)
        self._cluster = cluster
        self._budget = budget
        self._coming: Iterator[tuple[list[Epoch], Checkpoint]] | None = None

    def restart(self, number: int, pool: Pool) -> tuple[list[Epoch], Checkpoint]:
        """The epochs of a restart, the first one asked for or the one after the last, and where it stands then."""
        if number >= self._alone:
            return self._cluster.map(self._work, [(number, pool)], self._budget)[0]
        if self._coming is None:
            rest = [(later, Pool()) for later in range(number, self._alone)]
            self._coming = self._cluster.stream(self._work, rest, self._budget)
        return next(self._coming)


def _unheard(_: int) -> None:
    """Nobody is told of single episodes."""
