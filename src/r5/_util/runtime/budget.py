"""Budget of a computation: time limit, threads, cancellation.

A computation checks its budget between steps that each take well under a second.
"""

from __future__ import annotations

import math
import time

from r5._util.runtime.threads import usable_threads
from r5.errors import R5Error

__all__ = ["Budget", "TimeLimitError"]


class TimeLimitError(R5Error):
    """The time limit is reached; code with a partial result catches this."""


class Budget:
    """Time limit from now on and number of threads; another thread may cancel it.

    Args:
        seconds: Time limit; None for no limit.
        threads: Number of threads; None for all that this process may use.

    Raises:
        R5Error: A value is out of range.

    >>> Budget().is_exhausted, Budget(60).is_exhausted
    (False, False)
    >>> budget = Budget()
    >>> budget.cancel()
    >>> budget.is_exhausted
    True
    """

    def __init__(self, seconds: float | None = None, threads: int | None = None) -> None:
        if seconds is not None and not 0 < seconds < math.inf:
            raise R5Error(f"the time limit must be a number of seconds above 0, not {seconds}")
        if threads is not None and threads < 1:
            raise R5Error(f"threads must be a whole number from 1 on, not {threads}")
        self.seconds = seconds
        self.threads = threads or usable_threads()
        self._end = None if seconds is None else time.monotonic() + seconds
        self._is_cancelled = False
        self._parent: Budget | None = None

    def cancel(self) -> None:
        """Exhaust the budget now; any thread may call this."""
        self._is_cancelled = True

    @property
    def seconds_left(self) -> float:
        """Remaining seconds, at least 0; infinite without a limit."""
        if self._is_cancelled or (self._parent is not None and self._parent.is_exhausted):
            return 0.0
        return math.inf if self._end is None else max(self._end - time.monotonic(), 0.0)

    def fraction(self, share: float) -> Budget:
        """Return a budget for a share of the remaining time; it is exhausted with this one or cancelled alone."""
        child = Budget(threads=self.threads)
        child.seconds, child._parent = self.seconds, self
        if self._end is not None:
            child._end = time.monotonic() + share * self.seconds_left
        return child

    @property
    def is_exhausted(self) -> bool:
        """True if no time remains."""
        return self.seconds_left == 0.0

    def check(self, doing: str = "anything was learned") -> None:
        """Raise `TimeLimitError` if no time remains.

        Args:
            doing: Clause that completes "the time limit was over before ...".
        """
        if self.is_exhausted:
            limit = "" if self.seconds is None else f" of {self.seconds:g} s"
            raise TimeLimitError(f"the time limit{limit} was over before {doing}; give more with --time-limit")
