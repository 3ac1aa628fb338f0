"""Restarts in parallel: a worker of a cluster trains each restart from its first epoch to its last.

Restarts are independent, except that the last one may begin with the pooled rules of the others; the result does not
depend on where they run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from r5._util.runtime.budget import Budget
from r5.agent.beyond.rule_pool import RulePool
from r5.agent.beyond.trial_queries import TrialQueries
from r5.agent.inference.solver import Solver
from r5.agent.settings import R5Settings
from r5.agent.training import checkpoint
from r5.agent.training.checkpoint import Checkpoint, Snapshot, snapshot
from r5.agent.training.model_selection import FitSummary, compare_epoch, is_finished
from r5.agent.training.training import EpochResult, Training, TrainingQuery
from r5.parallel.cluster import Cluster, Shared
from r5.parallel.pickling import pack, unpack
from r5.relations import Vocabulary

__all__ = ["Epoch", "RemoteRestarts", "begin_restart", "run_epoch", "solver_of", "trial_queries"]


class Epoch(NamedTuple):
    """Outcome of one epoch."""

    result: EpochResult
    snapshot: Snapshot
    answers: float | None
    """Share of trial queries answered right; None where they are not asked."""


def solver_of(learned: Snapshot, vocabulary: Vocabulary, settings: R5Settings) -> Solver:
    """Return a solver with the rules and the network of a snapshot."""
    return Solver(learned.memory(vocabulary, settings), learned.evaluator(), settings)


def trial_queries(queries: Sequence[TrainingQuery], settings: R5Settings) -> TrialQueries | None:
    """Return the queries that choose the epoch; None where `keep_epoch` is not `answers`."""
    return TrialQueries(queries, settings.seed) if settings.keep_epoch == "answers" else None


def begin_restart(
    vocabulary: Vocabulary, settings: R5Settings, queries: Sequence[TrainingQuery], restart: int, pool: RulePool
) -> Training:
    """Return a restart before its first epoch; with `pool_rules` the last one begins with the pooled rules.

    Args:
        vocabulary: Known and invented relations.
        settings: Hyperparameters.
        queries: Training examples.
        restart: Number of the restart.
        pool: Rules of the restarts before it.
    """
    training = Training(vocabulary, settings, queries, restart)
    if settings.pool_rules and 0 < restart == settings.restarts - 1:
        pool.fill(training.memory, restart)
    return training


def run_epoch(
    training: Training, trial: TrialQueries | None, vocabulary: Vocabulary, count: Callable[[int], None]
) -> Epoch:
    """Train for one epoch and ask the trial queries.

    Args:
        training: State of training, changed in place.
        trial: Trial queries, if any.
        vocabulary: Known and invented relations.
        count: Called with the number of episodes done since the last call.
    """
    result = training.run_epoch(count)
    learned = snapshot(training)
    answers = None
    if trial is not None:
        answers = trial.share_right(solver_of(learned, vocabulary, training.settings), count)
    return Epoch(result, learned, answers)


@dataclass
class _RestartTask:
    """Trains one restart after the other in another process."""

    vocabulary: Vocabulary
    settings: R5Settings
    packed: Shared[bytes]
    _queries: Sequence[TrainingQuery] | None = None

    def __call__(self, work: tuple[int, RulePool]) -> tuple[list[Epoch], Checkpoint]:
        """Return the epochs of a restart, and the state of training after the last one."""
        restart, pool = work
        if self._queries is None:
            self._queries = unpack(self.packed.value)
        trial = trial_queries(self._queries, self.settings)
        training = begin_restart(self.vocabulary, self.settings, self._queries, restart, pool)
        summary, epochs = FitSummary(restart=restart), []
        while not is_finished(training.epoch, summary, self.settings):
            epochs.append(run_epoch(training, trial, self.vocabulary, _ignore))
            summary, _ = compare_epoch(summary, epochs[-1].result, epochs[-1].answers, self.settings)
        state = checkpoint.pack(training, self.vocabulary, self.settings, {}, epochs[-1].snapshot, RulePool(), "")
        return epochs, state


class RemoteRestarts:
    """Restarts that the workers of a cluster train ahead of their use."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        settings: R5Settings,
        queries: Sequence[TrainingQuery],
        cluster: Cluster,
        budget: Budget | None,
    ) -> None:
        self._task = _RestartTask(vocabulary, settings, cluster.share(pack(queries)))
        self._independent = settings.restarts - (settings.pool_rules and settings.restarts > 1)
        self._cluster = cluster
        self._budget = budget
        self._results: Iterator[tuple[list[Epoch], Checkpoint]] | None = None

    def next(self, number: int, pool: RulePool) -> tuple[list[Epoch], Checkpoint]:
        """Return the epochs of restart `number` and its final state; numbers are consecutive from the first call."""
        if number >= self._independent:
            return self._cluster.map(self._task, [(number, pool)], self._budget)[0]
        if self._results is None:
            work = [(later, RulePool()) for later in range(number, self._independent)]
            self._results = self._cluster.stream(self._task, work, self._budget)
        return next(self._results)


def _ignore(_: int) -> None:
    """Ignore the number of episodes."""
