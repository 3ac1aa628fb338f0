"""Searches that take longer than a request may: asked again until they are done, cached, ended when nobody asks."""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Searches"]

_KEPT = 32
"""Results kept."""
_ABANDONED_SECONDS = 90.0
"""Seconds after which a search that nobody asks for is cancelled; browsers delay timers of hidden pages to a minute."""

Start = Callable[[Callable[[bytes], None]], Awaitable[bytes]]
"""Function that runs a search with a receiver of reports of progress."""


@dataclass(eq=False)
class _Search:
    task: asyncio.Task[bytes]
    asked: float
    progress: dict[str, Any] = field(default_factory=lambda: {"stage": "", "done": 0, "total": 0})


class Searches:
    """Running searches and results of finished ones, by request.

    Args:
        wait_seconds: Seconds that a request waits for the result.
    """

    def __init__(self, wait_seconds: float = 0.4) -> None:
        self._wait_seconds = wait_seconds
        self._running: dict[str, _Search] = {}
        self._results: OrderedDict[str, bytes] = OrderedDict()

    async def ask(self, key: str, start: Start) -> bytes:
        """Return the result of a search, or its progress if it runs; a search that does not run is started."""
        if key in self._results:
            self._results.move_to_end(key)
            return self._results[key]
        search = self._running.get(key)
        if search is None:
            search = self._running[key] = self._begin(start)
            asyncio.ensure_future(self._watch(key, search))  # noqa: RUF006  ends with the search
        search.asked = time.monotonic()
        done, _ = await asyncio.wait({search.task}, timeout=self._wait_seconds)
        if not done:
            return b"200" + json.dumps({"running": search.progress}).encode()
        # A failure is told to one who asks, once.
        self._running.pop(key, None)
        return search.task.result()

    def cancel(self, key: str) -> None:
        """End a search, if it runs."""
        if key in self._running:
            self._running.pop(key).task.cancel()

    def _begin(self, start: Start) -> _Search:
        found: list[_Search] = []
        task = asyncio.ensure_future(start(lambda part: found[0].progress.update(json.loads(part))))
        found.append(_Search(task, time.monotonic()))
        return found[0]

    async def _watch(self, key: str, search: _Search) -> None:
        """Keep the result of a search, or cancel it when nobody asks for it any more."""
        while not search.task.done():
            await asyncio.wait({search.task}, timeout=_ABANDONED_SECONDS / 10)
            if not search.task.done() and time.monotonic() - search.asked > _ABANDONED_SECONDS:
                search.task.cancel()
                self._running.pop(key, None)
        if not search.task.cancelled() and search.task.exception() is None and search.task.result()[:3] == b"200":
            self._results[key] = search.task.result()
            while len(self._results) > _KEPT:
                self._results.popitem(last=False)
