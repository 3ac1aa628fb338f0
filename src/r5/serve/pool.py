"""The pool: a bounded number of workers, each with one job at a time; jobs have a time limit and can be called off."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from r5.serve.frames import read_message, written
from r5.serve.nursery import Nursery

__all__ = ["BusyError", "Pool", "TooLongError", "WorkerGoneError"]

_GRACE = 0.1
"""Seconds that a job which nobody waits for any more may still take; beyond them its worker is ended."""


class BusyError(Exception):
    """There are more questions waiting than the server holds."""


class TooLongError(Exception):
    """A job took longer than it may."""


class WorkerGoneError(Exception):
    """A worker ended in the middle of a job: it was out of memory."""


@dataclass(eq=False)
class _Worker:
    pid: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    has: set[str] = field(default_factory=set)
    """Uploaded graphs that it was given."""


class Pool:
    """Workers of a nursery. Long jobs never take all of them: a quick one always finds a place soon."""

    def __init__(self, nursery: Nursery, size: int, waiting: int, seconds: float) -> None:
        self._nursery, self._size, self.most_waiting, self.seconds = nursery, size, waiting, seconds
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        self._all: set[_Worker] = set()
        self._long = asyncio.Semaphore(max(1, size - 1))
        self._waiting = 0

    async def start(self) -> None:
        """Make all workers."""
        for _ in range(self._size):
            self._free.put_nowait(await self._made())

    async def run(
        self,
        message: dict[str, object],
        *,
        is_long: bool = False,
        seconds: float | None = None,
        extra: Callable[[set[str]], dict[str, object]] = lambda _: {},
    ) -> bytes:
        """The answer of a worker; a cancelled call frees its worker.

        `extra` is what a worker is told besides, by what it `has`; what it is given goes there.
        """
        if self._waiting >= self.most_waiting:
            raise BusyError
        self._waiting += 1
        try:
            if not is_long:
                return await self._in_turn(message, extra, seconds or self.seconds)
            async with self._long:
                return await self._in_turn(message, extra, 4 * self.seconds)
        finally:
            self._waiting -= 1

    async def _in_turn(
        self, message: dict[str, object], extra: Callable[[set[str]], dict[str, object]], seconds: float
    ) -> bytes:
        worker = await self._free.get()
        answer = asyncio.ensure_future(self._asked(worker, written({**message, **extra(worker.has)})))
        try:
            found = await asyncio.wait_for(asyncio.shield(answer), seconds)
        except asyncio.CancelledError:
            await asyncio.shield(self._called_off(worker, answer))
            raise
        except TimeoutError:
            await asyncio.shield(self._replaced(worker, answer))
            raise TooLongError from None
        except (asyncio.IncompleteReadError, OSError):
            await asyncio.shield(self._replaced(worker, answer))
            raise WorkerGoneError from None
        self._free.put_nowait(worker)
        return found

    async def _asked(self, worker: _Worker, message: bytes) -> bytes:
        worker.writer.write(message)
        await worker.writer.drain()
        return await read_message(worker.reader)

    async def _called_off(self, worker: _Worker, answer: asyncio.Future[bytes]) -> None:
        """A job that will be done at once may go on, for a new worker costs more."""
        done, _ = await asyncio.wait({answer}, timeout=_GRACE)
        if done and answer.exception() is None:
            self._free.put_nowait(worker)
        else:
            await self._replaced(worker, answer)

    async def _replaced(self, worker: _Worker, answer: asyncio.Future[bytes]) -> None:
        answer.cancel()
        self._all.discard(worker)
        worker.writer.close()
        self._nursery.end_worker(worker.pid)
        self._free.put_nowait(await self._made())

    async def _made(self) -> _Worker:
        pid, line = self._nursery.make_worker()
        line.setblocking(False)
        reader, writer = await asyncio.open_unix_connection(sock=line)
        worker = _Worker(pid, reader, writer)
        self._all.add(worker)
        return worker

    def close(self) -> None:
        """End all workers and the nursery."""
        for worker in self._all:
            worker.writer.close()
        self._nursery.close()
