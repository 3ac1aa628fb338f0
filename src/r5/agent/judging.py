"""Judging: whether a restart of training is over, and which epoch of which restart is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from r5.agent.settings import R5Settings
from r5.agent.training import EpochResult

__all__ = ["FitSummary", "all_right", "is_over", "judge"]

_LEAST_GAIN = 0.005
"""Of trial questions so many more must be answered right for patience to begin anew; fewer are luck."""


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


def is_over(epochs: int, so_far: FitSummary, settings: R5Settings) -> bool:
    """Whether this restart, after so many epochs, has had all of them, or stopped getting better."""
    is_stale = 0 < settings.patience <= so_far.stale
    return epochs >= settings.epochs or is_stale or all_right(so_far, settings)


def all_right(so_far: FitSummary, settings: R5Settings) -> bool:
    """Whether all trial questions are answered right, so that nothing is better and patience ends."""
    return settings.keep_epoch == "answers" and settings.patience > 0 and so_far.best_worth >= 1.0


def judge(
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
