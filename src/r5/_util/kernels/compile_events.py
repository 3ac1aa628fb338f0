"""Compilations of this process: their time, and a callback before each; numba reports them."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["COMPILATIONS", "Compilations"]


class Compilations:
    """Time that compilation has taken; kernels that a kernel calls are compiled within it."""

    def __init__(self) -> None:
        self.number = 0
        """Number of compiled kernels, without those that they call."""
        self.announced = 0.0
        """Seconds of compilations that the user knows of."""
        self._seconds, self._depth, self._start = 0.0, 0, 0.0
        self.before: Callable[[Compilations], None] = lambda _: None
        """Callback before the compilation of a kernel."""

    @property
    def seconds(self) -> float:
        """Seconds of all compilations."""
        return self._seconds + (time.perf_counter() - self._start if self._depth else 0.0)

    def begin(self) -> None:
        """Note the start of a compilation."""
        if not self._depth:
            self.before(self)
            self._start = time.perf_counter()
        self._depth += 1

    def end(self) -> None:
        """Note the end of a compilation."""
        self._depth -= 1
        if not self._depth:
            self._seconds += time.perf_counter() - self._start
            self.number += 1


COMPILATIONS = Compilations()
"""Compilations of this process, as numba has one compiler a process."""
