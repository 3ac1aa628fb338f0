"""Questions that wait are asked together: several at once cost hardly more than one, and nobody waits for company.

How many go together is such that they take about a twentieth of a second of a processor. Where it takes much longer
by the clock, one of them is slow: the worker is ended, and each is asked by itself.
"""

from __future__ import annotations

import asyncio
import struct
from collections import deque
from collections.abc import Sequence
from typing import Any

from r5.serve.pool import BusyError, Pool, TooLongError, WorkerGoneError

__all__ = ["Batcher", "joined", "parted"]

_AT_ONCE, _WANTED, _PATIENCE = 32, 0.05, 1.0
"""The most questions together, the processor's seconds that they should take, and those after which they are parted."""
_LENGTH, _SECONDS = struct.Struct("!I"), struct.Struct("!d")


def joined(answers: Sequence[bytes], seconds: float) -> bytes:
    """Several answers as one message, and how long they took.

    >>> parted(joined([b"one", b"", b"three"], 0.5))
    ([b'one', b'', b'three'], 0.5)
    """
    return _SECONDS.pack(seconds) + b"".join(_LENGTH.pack(len(answer)) + answer for answer in answers)


def parted(message: bytes) -> tuple[list[bytes], float]:
    """The answers in a message, and how long they took."""
    found, place = [], _SECONDS.size
    while place < len(message):
        start = place + _LENGTH.size
        place = start + _LENGTH.unpack_from(message, place)[0]
        found.append(message[start:place])
    return found, _SECONDS.unpack_from(message)[0]


class Batcher:
    """Collects questions while all workers that they may have are busy."""

    def __init__(self, pool: Pool, lines: int) -> None:
        self._pool, self._lines = pool, lines
        self._waiting: deque[tuple[dict[str, Any], asyncio.Future[bytes]]] = deque()
        self._open = 0
        self._each = _WANTED
        self._running: set[asyncio.Task[None]] = set()

    async def ask(self, given: dict[str, Any]) -> bytes:
        """The answer to one question."""
        if len(self._waiting) >= self._pool.most_waiting:
            raise BusyError
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting.append((given, answer))
        if self._open < self._lines:
            self._open += 1
            task = asyncio.ensure_future(self._work())
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        return await answer

    async def _work(self) -> None:
        try:
            while self._waiting:
                most = max(1, min(_AT_ONCE, int(_WANTED / self._each)))
                batch = [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]
                batch = [(given, answer) for given, answer in batch if not answer.done()]
                if batch:
                    await self._together(batch)
        finally:
            self._open -= 1

    async def _together(self, batch: list[tuple[dict[str, Any], asyncio.Future[bytes]]]) -> None:
        message: dict[str, object] = {"name": "ask-many", "given": [given for given, _ in batch]}
        seconds = self._pool.seconds if len(batch) == 1 else _PATIENCE
        job = asyncio.ensure_future(self._pool.run(message, seconds=seconds))

        def left(_: asyncio.Future[bytes]) -> None:
            if all(answer.cancelled() for _, answer in batch):
                job.cancel()

        for _, answer in batch:
            answer.add_done_callback(left)
        try:
            found, spent = parted(await job)
        except asyncio.CancelledError:
            return
        except (TooLongError, WorkerGoneError) as error:
            self._each = _WANTED
            if len(batch) == 1:
                _fail(batch[0][1], error)
            else:
                await asyncio.gather(*(self._together([one]) for one in batch if not one[1].done()))
            return
        except Exception as error:
            for _, answer in batch:
                _fail(answer, error)
            return
        self._each += 0.3 * (spent / len(batch) - self._each)
        for (_, answer), part in zip(batch, found, strict=True):
            if not answer.done():
                answer.set_result(part)


def _fail(answer: asyncio.Future[bytes], error: Exception) -> None:
    if not answer.done():
        answer.set_exception(error)
