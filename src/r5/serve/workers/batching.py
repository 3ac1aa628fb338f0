"""Batching of queued queries: a batch costs hardly more than one query.

The batch size adapts to batches of a twentieth of a second of processor time; no query waits for a batch to fill. If a
batch takes much longer, its worker is killed and each query runs alone.
"""

from __future__ import annotations

import asyncio
import struct
from collections import deque
from collections.abc import Sequence
from typing import Any

from r5.serve.workers.pool import BusyError, JobTimeoutError, Pool, WorkerLostError

__all__ = ["Batcher", "join_answers", "split_answers"]

_MAX_BATCH = 32
"""Maximum number of queries per batch."""
_TARGET_SECONDS = 0.05
"""Target of the processor time of a batch."""
_BATCH_TIMEOUT = 1.0
"""Seconds after which the queries of a batch run alone."""
_LENGTH, _SECONDS = struct.Struct("!I"), struct.Struct("!d")


def join_answers(answers: Sequence[bytes], seconds: float) -> bytes:
    """Encode answers and their processor time as one message.

    >>> split_answers(join_answers([b"one", b"", b"three"], 0.5))
    ([b'one', b'', b'three'], 0.5)
    """
    return _SECONDS.pack(seconds) + b"".join(_LENGTH.pack(len(answer)) + answer for answer in answers)


def split_answers(message: bytes) -> tuple[list[bytes], float]:
    """Decode the answers in a message and their processor time."""
    answers, end = [], _SECONDS.size
    while end < len(message):
        start = end + _LENGTH.size
        end = start + _LENGTH.unpack_from(message, end)[0]
        answers.append(message[start:end])
    return answers, _SECONDS.unpack_from(message)[0]


class Batcher:
    """Queue of queries, run in batches on a limited number of workers."""

    def __init__(self, pool: Pool, max_jobs: int) -> None:
        self._pool, self._max_jobs = pool, max_jobs
        self._queue: deque[tuple[dict[str, Any], asyncio.Future[bytes]]] = deque()
        self._jobs = 0
        self._seconds_per_query = _TARGET_SECONDS
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def waiting(self) -> int:
        """Number of queries that wait for a batch."""
        return len(self._queue)

    async def run(self, given: dict[str, Any]) -> bytes:
        """Return the answer to one query.

        Raises:
            BusyError: The queue is full.
        """
        if len(self._queue) >= self._pool.max_queue:
            raise BusyError
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._queue.append((given, answer))
        if self._jobs < self._max_jobs:
            self._jobs += 1
            task = asyncio.ensure_future(self._run_batches())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await answer

    async def _run_batches(self) -> None:
        try:
            while self._queue:
                size = max(1, min(_MAX_BATCH, int(_TARGET_SECONDS / self._seconds_per_query)))
                batch = [self._queue.popleft() for _ in range(min(size, len(self._queue)))]
                batch = [(given, answer) for given, answer in batch if not answer.done()]
                if batch:
                    await self._run_batch(batch)
        finally:
            self._jobs -= 1

    async def _run_batch(self, batch: list[tuple[dict[str, Any], asyncio.Future[bytes]]]) -> None:
        message: dict[str, object] = {"name": "ask-many", "given": [given for given, _ in batch]}
        seconds = self._pool.seconds if len(batch) == 1 else _BATCH_TIMEOUT
        job = asyncio.ensure_future(self._pool.run(message, seconds=seconds))

        def cancel_if_abandoned(_: asyncio.Future[bytes]) -> None:
            if all(answer.cancelled() for _, answer in batch):
                job.cancel()

        for _, answer in batch:
            answer.add_done_callback(cancel_if_abandoned)
        try:
            results, spent = split_answers(await job)
        except asyncio.CancelledError:
            return
        except (JobTimeoutError, WorkerLostError) as error:
            self._seconds_per_query = _TARGET_SECONDS
            if len(batch) == 1:
                _fail(batch[0][1], error)
            else:
                await asyncio.gather(*(self._run_batch([one]) for one in batch if not one[1].done()))
            return
        except Exception as error:
            for _, answer in batch:
                _fail(answer, error)
            return
        self._seconds_per_query += 0.3 * (spent / len(batch) - self._seconds_per_query)
        for (_, answer), result in zip(batch, results, strict=True):
            if not answer.done():
                answer.set_result(result)


def _fail(answer: asyncio.Future[bytes], error: Exception) -> None:
    if not answer.done():
        answer.set_exception(error)
