"""fit: epochs, restarts, early stop, and checkpoints from which training goes on as if never interrupted."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from r5._util.runtime.budget import Budget, TimeLimitError
from r5.agent.beyond.pool import Pool
from r5.agent.checkpoint import Snapshot, pack, read_checkpoint, snapshot, unpack, write_checkpoint
from r5.agent.judging import FitSummary, all_right, is_over, judge
from r5.agent.restarts import Ahead, Epoch, begun, one_epoch, solver_of, trial_of
from r5.agent.settings import R5Settings
from r5.agent.training import EpochResult, Training, TrainingQuery
from r5.errors import R5Error
from r5.parallel.cluster import Cluster
from r5.relations import Vocabulary

__all__ = ["FitSummary", "Observer", "fit", "solver_of"]


@dataclass(frozen=True, slots=True)
class Observer:
    """Who is told how training goes; each may be left out."""

    tick: Callable[[int, EpochResult | None, float | None], None] | None = None
    """Gets the episodes done since the last call, and the last epoch with its validation accuracy."""
    validate: Callable[[Snapshot], float] | None = None
    watch: Callable[[Snapshot, dict[str, Any]], None] | None = None
    """Gets what each epoch has learned, and its entry in the history; must change neither."""


@dataclass
class _Course:
    """How training has gone, and what is kept of it for now."""

    observer: Observer
    settings: R5Settings
    so_far: FitSummary
    best: Snapshot | None
    last: tuple[EpochResult | None, float | None] = (None, None)

    def note(self, epoch: Epoch) -> None:
        """Take in an epoch, and tell of it."""
        result, now, answers = epoch
        accuracy = self.observer.validate(now) if self.observer.validate else None
        self.last = (result, accuracy)
        so_far, is_best = judge(self.so_far, result, answers, self.settings)
        entry = _entry(so_far.restart, result, answers, accuracy)
        self.so_far = replace(so_far, history=(*so_far.history, entry))
        self.best = now if is_best or self.best is None else self.best
        if self.observer.watch:
            self.observer.watch(now, entry)
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
    """Train, and give back what the last epoch had learned, or the best one, and how it went.

    The best one answers the most trial questions right, or has the best training fit, the share of episodes that ended
    in the answer. Where the budget ends before the first epoch does, the result is what had been learned by then.
    The workers of a `cluster` elsewhere train restarts side by side; the checkpoint is then of whole restarts.
    """
    mark = _fingerprint(settings, queries)
    course = _Course(observer or Observer(), settings, FitSummary(), None)
    trial = trial_of(queries, settings)
    training, pool = Training(vocabulary, settings, queries), Pool()
    if resume and checkpoint is not None and (checkpoint / "model.json").is_file():
        try:
            stored = read_checkpoint(checkpoint, mark)
            course.so_far = FitSummary(**{**stored.so_far, "history": tuple(stored.so_far["history"])})
            training = Training(vocabulary, settings, queries, course.so_far.restart)
            unpack(training, stored)
        except (KeyError, TypeError, ValueError, IndexError):
            raise R5Error(f"{checkpoint}: is damaged or of another version of r5; train without resuming") from None
        course.best, pool = stored.best, stored.pool
    elsewhere = cluster is not None and not cluster.is_local
    ahead = Ahead(vocabulary, settings, queries, cluster, budget) if cluster is not None and elsewhere else None
    while True:
        if is_over(training.epoch, course.so_far, settings):
            restart = course.so_far.restart + 1
            if restart == settings.restarts or all_right(course.so_far, settings):
                break
            course.so_far = replace(course.so_far, restart=restart, stale=0, best_here=-1.0)
            pool.add(training.memory)
            training = begun(vocabulary, settings, queries, restart, pool)
        place = _place(training, course.so_far, settings)
        try:
            if ahead is not None and training.epoch == 0:
                epochs, stands = ahead.restart(course.so_far.restart, pool)
                unpack(training, stands)
            else:
                count = _episode_counter(course.observer, course.last, budget)
                epochs = [one_epoch(training, trial, vocabulary, count)]
        except TimeLimitError:
            course.so_far = replace(course.so_far, cut_short=place)
            course.best = course.best or snapshot(training)
            break
        for epoch in epochs:
            course.note(epoch)
        if checkpoint is not None:
            state = pack(training, vocabulary, settings, asdict(course.so_far), course.best, pool, mark)  # type: ignore[arg-type]
            write_checkpoint(checkpoint, state)
    return course.best, course.so_far  # type: ignore[return-value]


def _episode_counter(
    observer: Observer, last: tuple[EpochResult | None, float | None], budget: Budget | None
) -> Callable[[int], None]:
    """Tells the observer of episodes done, with what was last known; ends training where the budget does."""

    def count(episodes: int) -> None:
        if observer.tick is not None:
            observer.tick(episodes, *last)
        if budget is not None:
            budget.check()

    return count


def _place(training: Training, so_far: FitSummary, settings: R5Settings) -> str:
    """Where training was when its time was over."""
    epoch, restart = f"epoch {training.epoch + 1} of {settings.epochs}", so_far.restart + 1
    return epoch if settings.restarts == 1 else f"{epoch} in restart {restart} of {settings.restarts}"


def _entry(restart: int, result: EpochResult, answers: float | None, accuracy: float | None) -> dict[str, Any]:
    """An epoch in the history, as JSON has it."""
    return {
        "restart": restart,
        "epoch": result.epoch,
        "loss": result.loss,
        "rules": result.rules,
        "invented": result.invented_in_use,
        "fit": result.fit,
        **({} if answers is None else {"training_answers": answers}),
        "valid_accuracy": accuracy,
    }


def _fingerprint(settings: R5Settings, queries: Sequence[TrainingQuery]) -> str:
    """What a checkpoint must agree with: the settings and what is learned from."""
    if not queries:
        raise R5Error("no training example has a path of two relations or more and an answer: nothing can be learned")
    mark = hashlib.sha256(repr(asdict(settings)).encode())
    for query in queries:
        mark.update(np.array([query.answer, -2], dtype=np.int64).tobytes())
        for path in query.paths:
            mark.update(np.array([*path, -1], dtype=np.int64).tobytes())
    return mark.hexdigest()
