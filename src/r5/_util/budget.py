"""Budget: how long work may take and on how many threads.

Whoever works looks at it between pieces that each take well under a second.
"""

from __future__ import annotations

import math
import time

from r5._util.threads import usable_threads
from r5.errors import R5Error

__all__ = ["Budget", "OutOfTimeError"]


class OutOfTimeError(R5Error):
    """The time for some work is over; whoever has something to show for it catches this."""


class Budget:
    """So many seconds from now on, or any number of them, on so many threads; work can be called off before.

    >>> Budget().is_over, Budget(60).is_over
    (False, False)
    >>> budget = Budget()
    >>> budget.call_off()
    >>> budget.is_over
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
        self._is_called_off = False
        self._whole: Budget | None = None

    def call_off(self) -> None:
        """End the work soon, whatever time is left; any thread may do so."""
        self._is_called_off = True

    @property
    def left(self) -> float:
        """The seconds that are left; none below 0."""
        if self._is_called_off or (self._whole is not None and self._whole.is_over):
            return 0.0
        return math.inf if self._end is None else max(self._end - time.monotonic(), 0.0)

    def part(self, share: float) -> Budget:
        """A share of what is left, over when the whole is; it can be called off by itself."""
        part = Budget(threads=self.threads)
        part.seconds, part._whole = self.seconds, self
        if self._end is not None:
            part._end = time.monotonic() + share * self.left
        return part

    @property
    def is_over(self) -> bool:
        """Whether there is no time left."""
        return self.left == 0.0

    def check(self, doing: str = "anything was learned") -> None:
        """Raise `OutOfTimeError` where there is no time left; `doing` is what it was too short for."""
        if self.is_over:
            limit = "" if self.seconds is None else f" of {self.seconds:g} s"
            raise OutOfTimeError(f"the time limit{limit} was over before {doing}; give more with --time-limit")
