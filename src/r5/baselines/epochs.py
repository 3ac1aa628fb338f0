"""Epochs of training: their results and their number of passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["EpochResult", "ReportEpoch", "passes_per_epoch"]


@dataclass(frozen=True)
class EpochResult:
    """Result of one epoch."""

    epoch: int
    """Number of the epoch, from 1 on."""
    loss: float
    """Mean training loss, measured during the epoch."""

    @property
    def figures(self) -> str:
        """Text for a progress message."""
        return f"loss {self.loss:.3f}"


ReportEpoch = Callable[[EpochResult], None]
"""Callback that gets the result of each epoch."""


def passes_per_epoch(examples: int, batch_size: int, min_steps: int) -> int:
    """Return the number of passes over the examples that give an epoch `min_steps` steps; 0 without examples.

    >>> passes_per_epoch(100, batch_size=50, min_steps=5)
    3
    """
    batches = -(-examples // batch_size)
    return -(-min_steps // batches) if batches else 0
