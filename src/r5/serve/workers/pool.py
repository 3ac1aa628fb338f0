"""Pool of workers with one job each at a time; jobs have a time limit and can be cancelled."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from dataclasses import dataclass, field

from r5.serve.workers.fork_server import ForkServer
from r5.serve.workers.messages import encode_message, read_message

__all__ = ["BusyError", "JobTimeoutError", "Pool", "WorkerLostError"]

_GRACE = 0.1
"""Seconds that a cancelled job may still take; after them its worker is replaced."""


class BusyError(Exception):
    """The queue is full."""


class JobTimeoutError(Exception):
    """A job exceeded its time limit."""


class WorkerLostError(Exception):
    """A worker ended during a job, for lack of memory."""


@dataclass(eq=False)
class _Worker:
    pid: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    uploads: set[str] = field(default_factory=set)
    """Names of uploaded graphs that the worker has."""


class Pool:
    """Workers of a fork server; long jobs leave one worker for short ones."""

    def __init__(self, fork_server: ForkServer, size: int, max_queue: int, seconds: float) -> None:
        self._fork_server, self._size, self.max_queue, self.seconds = fork_server, size, max_queue, seconds
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        self._all: set[_Worker] = set()
        self._long = asyncio.Semaphore(max(1, size - 1))
        self._queued = 0
        self.replaced = 0
        """Number of workers replaced since the start."""

    async def start(self) -> None:
        """Fork all workers.

        The first one waits until the model is prepared, in a thread: requests that need no worker are answered.
        """
        pid, connection = await asyncio.to_thread(self._fork_server.fork_worker)
        self._free.put_nowait(await self._connect(pid, connection))
        for _ in range(self._size - 1):
            self._free.put_nowait(await self._fork_worker())

    @property
    def busy(self) -> int:
        """Number of workers with a job."""
        return len(self._all) - self._free.qsize()

    @property
    def waiting(self) -> int:
        """Number of jobs that wait for a worker."""
        return max(0, self._queued - self.busy)

    def is_alive(self) -> bool:
        """Return whether workers can be started."""
        return self._fork_server.is_alive()

    async def run(
        self,
        message: dict[str, object],
        *,
        is_long: bool = False,
        seconds: float | None = None,
        extra: Callable[[set[str]], dict[str, object]] = lambda _: {},
        report: Callable[[bytes], None] | None = None,
    ) -> bytes:
        """Run a job on a free worker and return its answer; a cancelled call frees the worker.

        Args:
            message: Message to the worker.
            is_long: Whether the job may take four times the time limit.
            seconds: Time limit; None for the default, of a long job four times as much.
            extra: Function from the uploaded graphs of the worker, which it updates, to further fields of the message.
            report: Receiver of reports of progress.

        Raises:
            BusyError: The queue is full.
            JobTimeoutError: The job exceeded its time limit.
            WorkerLostError: The worker ended during the job.
        """
        if self._queued >= self.max_queue:
            raise BusyError
        self._queued += 1
        try:
            if not is_long:
                return await self._run_on_worker(message, extra, seconds or self.seconds, report)
            async with self._long:
                return await self._run_on_worker(message, extra, seconds or 4 * self.seconds, report)
        finally:
            self._queued -= 1

    async def _run_on_worker(
        self,
        message: dict[str, object],
        extra: Callable[[set[str]], dict[str, object]],
        seconds: float,
        report: Callable[[bytes], None] | None,
    ) -> bytes:
        worker = await self._free.get()
        encoded = encode_message({**message, **extra(worker.uploads)})
        answer = asyncio.ensure_future(self._exchange(worker, encoded, report))
        try:
            result = await asyncio.wait_for(asyncio.shield(answer), seconds)
        except asyncio.CancelledError:
            await asyncio.shield(self._release(worker, answer))
            raise
        except TimeoutError:
            await asyncio.shield(self._replace(worker, answer))
            raise JobTimeoutError from None
        except (asyncio.IncompleteReadError, OSError):
            await asyncio.shield(self._replace(worker, answer))
            raise WorkerLostError from None
        self._free.put_nowait(worker)
        return result

    async def _exchange(self, worker: _Worker, message: bytes, report: Callable[[bytes], None] | None) -> bytes:
        worker.writer.write(message)
        await worker.writer.drain()
        answer = await read_message(worker.reader)
        while report is not None and answer.startswith(b"100"):
            report(answer[3:])
            answer = await read_message(worker.reader)
        return answer

    async def _release(self, worker: _Worker, answer: asyncio.Future[bytes]) -> None:
        """Free the worker of a cancelled job, or replace it if the job does not end soon."""
        done, _ = await asyncio.wait({answer}, timeout=_GRACE)
        if done and answer.exception() is None:
            self._free.put_nowait(worker)
        else:
            await self._replace(worker, answer)

    async def _replace(self, worker: _Worker, answer: asyncio.Future[bytes]) -> None:
        answer.cancel()
        self.replaced += 1
        self._all.discard(worker)
        worker.writer.close()
        self._fork_server.kill_worker(worker.pid)
        self._free.put_nowait(await self._fork_worker())

    async def _fork_worker(self) -> _Worker:
        return await self._connect(*self._fork_server.fork_worker())

    async def _connect(self, pid: int, connection: socket.socket) -> _Worker:
        connection.setblocking(False)
        reader, writer = await asyncio.open_unix_connection(sock=connection)
        worker = _Worker(pid, reader, writer)
        self._all.add(worker)
        return worker

    def close(self) -> None:
        """End all workers and the fork server."""
        for worker in self._all:
            worker.writer.close()
        self._fork_server.close()
