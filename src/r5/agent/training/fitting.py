"""fit: restarts and epochs with model selection, early stopping, and checkpoints to resume from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from r5._util.runtime.budget import Budget, TimeLimitError
from r5.agent.beyond.rule_pool import RulePool
from r5.agent.settings import R5Settings
from r5.agent.training.checkpoint import Snapshot, load_checkpoint, pack, snapshot, unpack, write_checkpoint
from r5.agent.training.model_selection import FitSummary, compare_epoch, is_finished, is_perfect
from r5.agent.training.restarts import Epoch, RemoteRestarts, begin_restart, run_epoch, solver_of, trial_queries
from r5.agent.training.training import EpochResult, Training, TrainingQuery
from r5.errors import R5Error
from r5.parallel.cluster import Cluster
from r5.relations import Vocabulary

__all__ = ["FitSummary", "Observer", "fit", "solver_of"]


@dataclass(frozen=True, slots=True)
class Observer:
    """Callbacks of training; each is optional."""

    tick: Callable[[int, EpochResult | None, float | None], None] | None = None
    """Called with the episodes since the last call, the last epoch, and its validation accuracy."""
    validate: Callable[[Snapshot], float] | None = None
    """Returns the validation accuracy of a model, for the report only."""
    watch: Callable[[Snapshot, dict[str, Any]], None] | None = None
    """Called with the model of each epoch and its entry in the history; must change neither."""


@dataclass
class _Progress:
    """State of the fit: model selection, the best model, and the last epoch for the observer."""

    observer: Observer
    settings: R5Settings
    summary: FitSummary
    best: Snapshot | None
    last: tuple[EpochResult | None, float | None] = (None, None)

    def add(self, epoch: Epoch) -> None:
        """Add an epoch and notify the observer."""
        accuracy = self.observer.validate(epoch.snapshot) if self.observer.validate else None
        self.last = (epoch.result, accuracy)
        summary, is_best = compare_epoch(self.summary, epoch.result, epoch.answers, self.settings)
        entry = _history_entry(summary.restart, epoch, accuracy)
        self.summary = replace(summary, history=(*summary.history, entry))
        self.best = epoch.snapshot if is_best or self.best is None else self.best
        if self.observer.watch:
            self.observer.watch(epoch.snapshot, entry)
        if self.observer.tick:
            self.observer.tick(0, *self.last)


def fit(
    vocabulary: Vocabulary,
    settings: R5Settings,
    queries: Sequence[TrainingQuery],
    observer: Observer | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    budget: Budget | None = None,
    cluster: Cluster | None = None,
) -> tuple[Snapshot, FitSummary]:
    """Train a model; `keep_epoch` chooses the epoch and restart to keep.

    Args:
        vocabulary: Known and invented relations.
        settings: Hyperparameters.
        queries: Training examples.
        observer: Callbacks.
        checkpoint: Folder for the state after each epoch, or after each restart with remote workers.
        resume: True to go on from the checkpoint, with the same result as an uninterrupted run.
        budget: Time limit; the best model so far is returned where it ends.
        cluster: Workers that train restarts in parallel, with the same result.

    Returns:
        The model, and the record of model selection.

    Raises:
        R5Error: There are no queries, or the checkpoint is damaged or of another training.
    """
    fingerprint = _fingerprint(settings, queries)
    progress = _Progress(observer or Observer(), settings, FitSummary(), None)
    trial = trial_queries(queries, settings)
    training, pool = Training(vocabulary, settings, queries), RulePool()
    if resume and checkpoint is not None and (checkpoint / "model.json").is_file():
        try:
            stored = load_checkpoint(checkpoint, fingerprint)
            progress.summary = FitSummary(**{**stored.summary, "history": tuple(stored.summary["history"])})
            training = Training(vocabulary, settings, queries, progress.summary.restart)
            unpack(training, stored)
        except (KeyError, TypeError, ValueError, IndexError):
            raise R5Error(f"{checkpoint}: is damaged or of another version of r5; train without resuming") from None
        progress.best, pool = stored.best, stored.pool
    remote = None
    if cluster is not None and not cluster.is_local:
        remote = RemoteRestarts(vocabulary, settings, queries, cluster, budget)
    while True:
        if is_finished(training.epoch, progress.summary, settings):
            restart = progress.summary.restart + 1
            if restart == settings.restarts or is_perfect(progress.summary, settings):
                break
            progress.summary = replace(progress.summary, restart=restart, stale=0, restart_score=-1.0)
            pool.add(training.memory)
            training = begin_restart(vocabulary, settings, queries, restart, pool)
        place = _place(training, progress.summary, settings)
        try:
            if remote is not None and training.epoch == 0:
                epochs, state = remote.next(progress.summary.restart, pool)
                unpack(training, state)
            else:
                count = _episode_counter(progress.observer, progress.last, budget)
                epochs = [run_epoch(training, trial, vocabulary, count)]
        except TimeLimitError:
            progress.summary = replace(progress.summary, cut_short=place)
            progress.best = progress.best or snapshot(training)
            break
        for epoch in epochs:
            progress.add(epoch)
        if checkpoint is not None:
            summary = asdict(progress.summary)
            state = pack(training, vocabulary, settings, summary, progress.best, pool, fingerprint)  # type: ignore[arg-type]
            write_checkpoint(checkpoint, state)
    return progress.best, progress.summary  # type: ignore[return-value]


def _episode_counter(
    observer: Observer, last: tuple[EpochResult | None, float | None], budget: Budget | None
) -> Callable[[int], None]:
    """Return a callback that notifies the observer of episodes and checks the time limit."""

    def count(episodes: int) -> None:
        if observer.tick is not None:
            observer.tick(episodes, *last)
        if budget is not None:
            budget.check()

    return count


def _place(training: Training, summary: FitSummary, settings: R5Settings) -> str:
    """Return the current epoch and restart in words."""
    epoch, restart = f"epoch {training.epoch + 1} of {settings.epochs}", summary.restart + 1
    return epoch if settings.restarts == 1 else f"{epoch} in restart {restart} of {settings.restarts}"


def _history_entry(restart: int, epoch: Epoch, accuracy: float | None) -> dict[str, Any]:
    """Return the entry of an epoch in the history, as in JSON."""
    result = epoch.result
    return {
        "restart": restart,
        "epoch": result.epoch,
        "loss": result.loss,
        "rules": result.rules,
        "invented": result.invented_in_use,
        "fit": result.fit,
        **({} if epoch.answers is None else {"training_answers": epoch.answers}),
        "valid_accuracy": accuracy,
    }


def _fingerprint(settings: R5Settings, queries: Sequence[TrainingQuery]) -> str:
    """Return a digest of settings and training examples, which a checkpoint must match."""
    if not queries:
        raise R5Error("no training example has a path of two relations or more and an answer: nothing can be learned")
    digest = hashlib.sha256(repr(asdict(settings)).encode())
    for query in queries:
        digest.update(np.array([query.answer, -2], dtype=np.int64).tobytes())
        for path in query.paths:
            digest.update(np.array([*path, -1], dtype=np.int64).tobytes())
    return digest.hexdigest()
