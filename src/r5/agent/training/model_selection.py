"""Model selection: the end of a restart, and the choice of the epoch and restart to keep."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from r5.agent.settings import R5Settings
from r5.agent.training.training import EpochResult

__all__ = ["FitSummary", "compare_epoch", "is_finished", "is_perfect"]

_MIN_GAIN = 0.005
"""Smallest gain in the share of right trial queries that resets patience; less is chance."""


@dataclass(frozen=True, slots=True)
class FitSummary:
    """State of model selection between two epochs.

    The score of an epoch is its training fit, or the share of trial queries that it answers right.
    """

    restart: int = 0
    """Current restart."""
    stale: int = 0
    """Epochs of this restart since its best one."""
    restart_score: float = -1.0
    """Best score of this restart."""
    best_score: float = -1.0
    """Score of the epoch that is kept."""
    best_fit: float = 0.0
    """Training fit of the epoch that is kept."""
    best_restart: int = 0
    best_epoch: int = 0
    history: tuple[dict[str, Any], ...] = ()
    """One entry for each epoch of each restart."""
    cut_short: str = ""
    """Epoch and restart in which the time limit ended training; empty for none."""


def is_finished(epochs: int, summary: FitSummary, settings: R5Settings) -> bool:
    """Return whether a restart ends: all its epochs are done, patience is over, or all trial queries are right.

    Args:
        epochs: Number of epochs of this restart.
        summary: State of model selection.
        settings: Hyperparameters.
    """
    is_stale = 0 < settings.patience <= summary.stale
    return epochs >= settings.epochs or is_stale or is_perfect(summary, settings)


def is_perfect(summary: FitSummary, settings: R5Settings) -> bool:
    """Return whether all trial queries are answered right, so that no epoch can be better."""
    return settings.keep_epoch == "answers" and settings.patience > 0 and summary.best_score >= 1.0


def compare_epoch(
    summary: FitSummary, result: EpochResult, answers: float | None, settings: R5Settings
) -> tuple[FitSummary, bool]:
    """Compare an epoch with the best one.

    With hidden answers the fit of the first epoch does not count, since no answers are hidden in it. With
    `keep_epoch="last"` the last epoch of a later restart must have a better score than the one that is kept.

    Args:
        summary: State of model selection before the epoch.
        result: Result of the epoch.
        answers: Share of trial queries answered right; None to use the training fit.
        settings: Hyperparameters.

    Returns:
        The new state, and whether the model of this epoch is to be kept.
    """
    fit_counts = result.epoch > 1 or settings.hidden_answers == 0 or settings.epochs == 1
    score = answers if answers is not None else result.fit if fit_counts else 0.0
    min_gain = 0.0 if answers is None else _MIN_GAIN
    if score > summary.restart_score + min_gain:
        summary = replace(summary, restart_score=score, stale=0)
    else:
        summary = replace(summary, stale=summary.stale + 1)
    is_better = score > summary.best_score
    if settings.keep_epoch == "last":
        is_last = result.epoch >= settings.epochs or 0 < settings.patience <= summary.stale
        is_better = summary.restart == 0 or (is_last and is_better)
    if not is_better:
        return summary, False
    summary = replace(summary, best_score=score, best_fit=result.fit)
    return replace(summary, best_restart=summary.restart, best_epoch=result.epoch), True
