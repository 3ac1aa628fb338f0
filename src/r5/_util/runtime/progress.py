"""Progress reports of long computations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

__all__ = ["Progress", "ProgressCallback", "ProgressCounter"]


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a computation, the argument of a `progress` callback."""

    done: int
    total: int
    """Number of steps; 0 if it is not known."""
    message: str
    stage: str = ""
    """Current stage of a computation with several; `done` and `total` count within the stage."""


ProgressCallback = Callable[[Progress], None]


class ProgressCounter:
    """Thread-safe counter of steps that calls a progress callback after each.

    >>> tick = ProgressCounter(lambda step: print(step.done, "of", step.total, step.message), 3)
    >>> tick("first"), tick("both others", 2)
    1 of 3 first
    3 of 3 both others
    (None, None)
    """

    def __init__(self, progress: ProgressCallback | None, total: int, stage: str = "") -> None:
        self._progress = progress
        self._stage = stage
        self._total = total
        self._done = 0
        self._lock = Lock()

    def __call__(self, message: str, steps: int = 1) -> None:
        """Count further steps, up to the total, and call the callback."""
        if self._progress is not None:
            with self._lock:
                self._done = min(self._done + steps, self._total)
                self._progress(Progress(self._done, self._total, message, self._stage))
