"""Batch size that adapts to the time of a batch, so that long loops can report progress and be cancelled."""

from __future__ import annotations

import time

__all__ = ["AdaptiveBatchSize"]

_SHORT, _LONG = 0.05, 0.2
"""Seconds: batches below the first grow, batches above the second shrink."""


class AdaptiveBatchSize:
    """Number of items per batch, adapted to batches of about a tenth of a second; results must not depend on it.

    >>> batch = AdaptiveBatchSize()
    >>> batch.update()
    >>> batch.size
    32
    """

    def __init__(self, size: int = 16) -> None:
        self.size = size
        self._start = time.perf_counter()

    def update(self) -> None:
        """Adapt the size to the time since the last call; call this after each batch."""
        now = time.perf_counter()
        if now - self._start < _SHORT:
            self.size *= 2
        elif now - self._start > _LONG:
            self.size = max(self.size // 2, 1)
        self._start = now
