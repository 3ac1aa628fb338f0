"""fit: epochs, restarts, early stop, and checkpoints from which training goes on as if never interrupted."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from r5._util.budget import Budget, OutOfTimeError
from r5.agent.beyond.pool import Pool
from r5.agent.beyond.trial import Trial
from r5.agent.checkpoint import Snapshot, pack, read_checkpoint, snapshot, unpack, write_checkpoint
from r5.agent.prediction import Solver
from r5.agent.settings import R5Settings
from r5.agent.training import EpochResult, Training, TrainingQuery
from r5.errors import R5Error
from r5.relations import Vocabulary

__all__ = ["FitSummary", "Observer", "fit", "solver_of"]

_LEAST_GAIN = 0.005
"""Of trial questions so many more must be answered right for patience to begin anew; fewer are luck."""


@dataclass(frozen=True, slots=True)
class Observer:
    """Who is told how training goes; each may be left out."""

    tick: Callable[[int, EpochResult | None, float | None], None] | None = None
    """Gets the episodes done since the last call, and the last epoch with its validation accuracy."""
    validate: Callable[[Snapshot], float] | None = None
    watch: Callable[[Snapshot, dict[str, Any]], None] | None = None
    """Gets what each epoch has learned, and its entry in the history; must change neither."""


@dataclass(frozen=True, slots=True)
class FitSummary:
    """How training went up to now, between two epochs."""

    restart: int = 0
    stale: int = 0
    """Epochs of this restart since its best one."""
    best_here: float = -1.0
    """What the best epoch of this restart is worth."""
    best_worth: float = -1.0
    """What the epoch kept for now is worth: its training fit, or the share of trial questions it answers right."""
    best_fit: float = 0.0
    best_restart: int = 0
    best_epoch: int = 0
    history: tuple[dict[str, Any], ...] = ()
    """How each epoch of each restart went."""
    cut_short: str = ""
    """Where in training the time was over."""


def fit(
    vocabulary: Vocabulary,
    settings: R5Settings,
    queries: Sequence[TrainingQuery],
    observer: Observer | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    budget: Budget | None = None,
) -> tuple[Snapshot, FitSummary]:
    """Train, and give back what the last epoch had learned, or the best one, and how it went.

    The best one answers the most trial questions right, or has the best training fit, the share of episodes that ended
    in the answer. Where the budget ends before the first epoch does, the result is what had been learned by then.
    """
    observer = observer or Observer()
    mark = _fingerprint(settings, queries)
    so_far, best = FitSummary(), None
    trial = Trial(queries, settings.seed) if settings.keep_epoch == "answers" else None
    training = Training(vocabulary, settings, queries)
    pool = Pool()
    if resume and checkpoint is not None and (checkpoint / "model.json").is_file():
        try:
            stored = read_checkpoint(checkpoint, mark)
            so_far = FitSummary(**{**stored.so_far, "history": tuple(stored.so_far["history"])})
            training = Training(vocabulary, settings, queries, so_far.restart)
            unpack(training, stored)
        except (KeyError, TypeError, ValueError, IndexError):
            raise R5Error(f"{checkpoint}: is damaged or of another version of r5; train without resuming") from None
        best, pool = stored.best, stored.pool
    last: tuple[EpochResult | None, float | None] = (None, None)
    while True:
        if _is_over(training, so_far, settings):
            if so_far.restart + 1 == settings.restarts or _all_right(so_far, settings):
                break
            so_far = replace(so_far, restart=so_far.restart + 1, stale=0, best_here=-1.0)
            pool.add(training.memory)
            training = Training(vocabulary, settings, queries, so_far.restart)
            if settings.pool_rules and so_far.restart + 1 == settings.restarts:
                pool.fill(training.memory, so_far.restart)
        place, count = _place(training, so_far, settings), _episode_counter(observer, last, budget)
        try:
            result = training.run_epoch(count)
            now = snapshot(training)
            answers = trial.share_right(solver_of(now, vocabulary, settings), count) if trial is not None else None
        except OutOfTimeError:
            so_far = replace(so_far, cut_short=place)
            best = best or snapshot(training)
            break
        accuracy = observer.validate(now) if observer.validate else None
        last = (result, accuracy)
        so_far, is_best = _judge(so_far, result, answers, settings)
        so_far = replace(so_far, history=(*so_far.history, _entry(so_far.restart, result, answers, accuracy)))
        best = now if is_best or best is None else best
        if observer.watch:
            observer.watch(now, so_far.history[-1])
        if observer.tick:
            observer.tick(0, *last)
        if checkpoint is not None:
            write_checkpoint(checkpoint, pack(training, vocabulary, settings, asdict(so_far), best, pool, mark))
    return best, so_far  # type: ignore[return-value]


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


def _is_over(training: Training, so_far: FitSummary, settings: R5Settings) -> bool:
    """Whether this restart has had all its epochs, or stopped getting better."""
    is_stale = 0 < settings.patience <= so_far.stale
    return training.epoch >= settings.epochs or is_stale or _all_right(so_far, settings)


def _all_right(so_far: FitSummary, settings: R5Settings) -> bool:
    """Whether all trial questions are answered right, so that nothing is better and patience ends."""
    return settings.keep_epoch == "answers" and settings.patience > 0 and so_far.best_worth >= 1.0


def solver_of(learned: Snapshot, vocabulary: Vocabulary, settings: R5Settings) -> Solver:
    """What answers with what was learned."""
    return Solver(learned.memory(vocabulary, settings), learned.evaluator(), settings)


def _judge(
    so_far: FitSummary, result: EpochResult, answers: float | None, settings: R5Settings
) -> tuple[FitSummary, bool]:
    """The new summary, and whether this epoch's model is the one to keep for now.

    The first epoch has no hidden answers, so where others have some its fit says little. Where the last epoch is kept,
    that of a later restart must fit better than that of an earlier one.
    """
    counts = result.epoch > 1 or settings.hidden_answers == 0 or settings.epochs == 1
    worth = answers if answers is not None else result.fit if counts else 0.0
    least_gain = 0.0 if answers is None else _LEAST_GAIN
    if worth > so_far.best_here + least_gain:
        so_far = replace(so_far, best_here=worth, stale=0)
    else:
        so_far = replace(so_far, stale=so_far.stale + 1)
    wins = worth > so_far.best_worth
    if settings.keep_epoch == "last":
        is_last = result.epoch >= settings.epochs or 0 < settings.patience <= so_far.stale
        wins = so_far.restart == 0 or (is_last and wins)
    if not wins:
        return so_far, False
    so_far = replace(so_far, best_worth=worth, best_fit=result.fit)
    return replace(so_far, best_restart=so_far.restart, best_epoch=result.epoch), True


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
