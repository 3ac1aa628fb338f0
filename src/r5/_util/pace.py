"""Pace: long loops in pieces, so that whoever waits is told how far they are and can end them."""

from __future__ import annotations

import time

__all__ = ["Pace"]

_SHORT, _LONG = 0.05, 0.2
"""Seconds: pieces that take less grow, pieces that take more shrink."""


class Pace:
    """How many things to do at once; call `done` after each piece. What is done must not depend on it.

    >>> pace = Pace()
    >>> pace.done()
    >>> pace.size
    32
    """

    def __init__(self, size: int = 16) -> None:
        self.size = size
        self._start = time.perf_counter()

    def done(self) -> None:
        """A piece is done: the next one is to take about a tenth of a second."""
        now = time.perf_counter()
        if now - self._start < _SHORT:
            self.size *= 2
        elif now - self._start > _LONG:
            self.size = max(self.size // 2, 1)
        self._start = now
