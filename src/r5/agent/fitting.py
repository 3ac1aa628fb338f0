"""fit: epochs, restarts, early stop, and checkpoints from which training goes on as if never interrupted."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from r5._util.budget import Budget, OutOfTimeError
from r5.agent.checkpoint import Snapshot, pack, read_checkpoint, snapshot, unpack, write_checkpoint
from r5.agent.settings import Settings
from r5.agent.training import EpochResult, Lesson, Training
from r5.errors import R5Error
from r5.relations import Vocabulary

__all__ = ["Observer", "fit"]


@dataclass(frozen=True, slots=True)
class Observer:
    """Who is told how training goes; each may be left out."""

    tick: Callable[[int, EpochResult | None, float | None], None] | None = None
    """Gets the episodes done since the last call, and the last epoch with its validation accuracy."""
    validate: Callable[[Snapshot], float] | None = None
    watch: Callable[[Snapshot, dict[str, Any]], None] | None = None
    """Gets what each epoch has learned, and its entry in the history; must change neither."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where training stands between two epochs."""

    restart: int = 0
    stale: int = 0
    """Epochs of this restart since its best one."""
    best_here: float = -1.0
    """The best training fit of this restart."""
    best_fit: float = -1.0
    best_restart: int = 0
    best_epoch: int = 0
    history: tuple[dict[str, Any], ...] = ()
    """How each epoch of each restart went."""
    cut_short: str = ""
    """Where in training the time was over."""


def fit(
    vocabulary: Vocabulary,
    settings: Settings,
    lessons: Sequence[Lesson],
    observer: Observer | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    budget: Budget | None = None,
) -> tuple[Snapshot, Standing]:
    """Train, and give back what the epoch with the best training fit had learned.

    Where the budget ends before the first epoch does, that is what had been learned by then.

    The fit is the share of episodes that ended in the answer. The first epoch, in which search
    sees the answer in all episodes, counts only where there is no other.
    """
    observer = observer or Observer()
    mark = _fingerprint(settings, lessons)
    standing, best = Standing(), None
    training = Training(vocabulary, settings, lessons)
    if resume and checkpoint is not None and (checkpoint / "model.json").is_file():
        try:
            stored = read_checkpoint(checkpoint, mark)
            standing = Standing(**{**stored.standing, "history": tuple(stored.standing["history"])})
            training = Training(vocabulary, settings, lessons, standing.restart)
            unpack(training, stored)
        except (KeyError, TypeError, ValueError, IndexError):
            raise R5Error(f"{checkpoint}: is damaged or of another version of r5; train without resuming") from None
        best = stored.best
    last: tuple[EpochResult | None, float | None] = (None, None)
    while True:
        if _is_over(training, standing, settings):
            if standing.restart + 1 == settings.restarts:
                break
            standing = replace(standing, restart=standing.restart + 1, stale=0, best_here=-1.0)
            training = Training(vocabulary, settings, lessons, standing.restart)
        try:
            result = training.run_epoch(_episode_counter(observer, last, budget))
        except OutOfTimeError:
            standing = replace(standing, cut_short=_place(training, standing, settings))
            best = best or snapshot(training)
            break
        now = snapshot(training)
        accuracy = observer.validate(now) if observer.validate else None
        last = (result, accuracy)
        standing, is_best = _judge(standing, result, settings)
        standing = replace(standing, history=(*standing.history, _entry(standing.restart, result, accuracy)))
        best = now if is_best or best is None else best
        if observer.watch:
            observer.watch(now, standing.history[-1])
        if observer.tick:
            observer.tick(0, *last)
        if checkpoint is not None:
            write_checkpoint(checkpoint, pack(training, vocabulary, settings, asdict(standing), best, mark))
    return best, standing  # type: ignore[return-value]


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


def _place(training: Training, standing: Standing, settings: Settings) -> str:
    """Where training was when its time was over."""
    epoch, restart = f"epoch {training.epoch + 1} of {settings.epochs}", standing.restart + 1
    return epoch if settings.restarts == 1 else f"{epoch} in restart {restart} of {settings.restarts}"


def _is_over(training: Training, standing: Standing, settings: Settings) -> bool:
    """Whether this restart has had all its epochs, or stopped getting better."""
    return training.epoch >= settings.epochs or 0 < settings.patience <= standing.stale


def _judge(standing: Standing, result: EpochResult, settings: Settings) -> tuple[Standing, bool]:
    """The new standing, and whether this epoch is the best of all."""
    counts = result.epoch > 1 or settings.blind == 0 or settings.epochs == 1
    fit = result.fit if counts else 0.0
    if fit > standing.best_here:
        standing = replace(standing, best_here=fit, stale=0)
    else:
        standing = replace(standing, stale=standing.stale + 1)
    if fit <= standing.best_fit:
        return standing, False
    return replace(standing, best_fit=fit, best_restart=standing.restart, best_epoch=result.epoch), True


def _entry(restart: int, result: EpochResult, accuracy: float | None) -> dict[str, Any]:
    """An epoch in the history, as JSON has it."""
    return {
        "restart": restart,
        "epoch": result.epoch,
        "loss": result.loss,
        "rules": result.rules,
        "invented": result.invented_in_use,
        "fit": result.fit,
        "valid_accuracy": accuracy,
    }


def _fingerprint(settings: Settings, lessons: Sequence[Lesson]) -> str:
    """What a checkpoint must agree with: the settings and what is learned from."""
    if not lessons:
        raise R5Error("no training example has a path of two relations or more and an answer: nothing can be learned")
    mark = hashlib.sha256(repr(asdict(settings)).encode())
    for lesson in lessons:
        mark.update(np.array([lesson.answer, -2], dtype=np.int64).tobytes())
        for path in lesson.paths:
            mark.update(np.array([*path, -1], dtype=np.int64).tobytes())
    return mark.hexdigest()
