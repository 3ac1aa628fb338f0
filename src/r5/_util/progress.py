"""Progress: where long work stands, told to whoever waits for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

__all__ = ["Counter", "Progress", "ProgressCallback"]


@dataclass(frozen=True, slots=True)
class Progress:
    """Where work stands; handed to the `progress` callback now and then."""

    done: int
    total: int
    message: str
    stage: str = ""
    """What is being done, where work has several stages: each is counted from nothing."""


ProgressCallback = Callable[[Progress], None]


class Counter:
    """Counts steps, from any thread, and tells the callback after each how many of the total are done.

    >>> tick = Counter(lambda step: print(step.done, "of", step.total, step.message), 3)
    >>> tick("first"), tick("both others", 2)
    1 of 3 first
    3 of 3 both others
    (None, None)
    """

    def __init__(self, progress: ProgressCallback | None, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0
        self._lock = Lock()

    def __call__(self, message: str, steps: int = 1) -> None:
        """So many more steps are done; there is no telling beyond the total."""
        if self._progress is not None:
            with self._lock:
                self._done = min(self._done + steps, self._total)
                self._progress(Progress(self._done, self._total, message))
