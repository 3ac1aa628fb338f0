"""WorkerPool: the workers of a Ray cluster, and calls that survive the loss of a worker.

Each worker is an actor of one core that stays until the end, with its compiled kernels and its shards.
"""

from __future__ import annotations

import os
import socket
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

from r5 import __version__
from r5._util.runtime.budget import Budget
from r5.errors import ClusterLostError, R5Error, need
from r5.parallel.ray_worker import Worker

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no telemetry; Ray reads this on import
try:
    import ray
    from ray import exceptions
except ImportError:
    raise need("ray", "ray") from None

__all__ = ["PendingCalls", "WorkerPool", "one_line"]

_POLL_SECONDS = 0.5
"""Interval of checks of the budget and of the cluster while results are awaited."""
_CORES_SECONDS = 30.0
"""Time to wait for free cores before a warning."""
_HEAD_SECONDS = 3.0
"""Time that the head of the cluster may be silent."""
_MAX_DEATHS = 4
"""Maximum number of workers lost at one call before the call is taken for the cause."""
_LOST = "the Ray cluster is lost"

Call = Callable[[Any], Any]
"""Function that makes a remote call to a worker and returns the reference to its result."""


class WorkerPool:
    """Workers on the Ray cluster that this process has joined, by default one per core."""

    def __init__(self, workers: int | None) -> None:
        self._is_lost = False
        self._head = _head_address()
        size = max(workers or int(ray.cluster_resources().get("CPU", 1)), 1)
        actor = ray.remote(Worker).options(
            num_cpus=1, max_restarts=-1, max_task_retries=0, scheduling_strategy="SPREAD"
        )
        self.workers = [actor.remote(ray.get) for _ in range(size)]
        self._wait_for_cores()
        try:
            versions = {version for version, _ in self.describe()}
            if versions != {__version__}:
                raise ClusterLostError(f"the workers have r5 {', '.join(sorted(versions))}, not {__version__} as here")
        except BaseException:
            self.stop()
            raise

    def __len__(self) -> int:
        return len(self.workers)

    def _wait_for_cores(self) -> None:
        """Warn if the workers wait for free cores."""
        first = [worker.describe.remote() for worker in self.workers]
        if len(ray.wait(first, num_returns=len(first), timeout=_CORES_SECONDS)[0]) < len(first):
            warnings.warn(f"waiting for {len(self)} free cores on the Ray cluster", stacklevel=2)

    def describe(self) -> list[tuple[str, int]]:
        """Return the version of r5 and the process id of each worker."""
        return self.call_all(lambda worker, _: worker.describe.remote(), None)

    def put(self, value: Any) -> Any:
        """Put a value into the object store, and return the reference to it."""
        with _translated_errors():
            return ray.put(value)

    def notify_all(self, call: Callable[[Any, int], Any]) -> None:
        """Make a call to each worker without waiting for the results."""
        with _translated_errors():
            for number, worker in enumerate(self.workers):
                call(worker, number)

    def call_all(self, call: Callable[[Any, int], Any], budget: Budget | None) -> list[Any]:
        """Make a call to each worker, and return the results by the number of the worker.

        Args:
            call: Gets a worker and its number.
            budget: Time limit.

        """
        with PendingCalls(self, budget) as calls:
            for number in range(len(self)):
                calls.submit(number, partial(_numbered, call, number), number)
            results = dict(calls.next() for _ in range(len(self)))
        return [results[number] for number in range(len(self))]

    def stop(self) -> None:
        """End the workers."""
        workers, self.workers = self.workers, []
        for worker in [] if self._is_lost or not ray.is_initialized() else workers:
            with suppress(Exception):
                ray.kill(worker)

    def check_head(self) -> None:
        """Raise a `ClusterLostError` if the head of the cluster does not answer."""
        if self._head is None:
            return
        end = time.monotonic() + _HEAD_SECONDS
        while True:
            try:
                with socket.create_connection(self._head, timeout=_POLL_SECONDS):
                    return
            except OSError:
                if time.monotonic() > end:
                    self._is_lost = True
                    raise ClusterLostError(f"{_LOST}: {self._head[0]}:{self._head[1]} is silent") from None
                time.sleep(_POLL_SECONDS)


@dataclass(frozen=True)
class _PendingCall:
    """Call in progress."""

    position: int
    call: Call
    worker: int
    deaths: int = 0
    """Number of workers lost at this call."""


class PendingCalls:
    """Calls in progress; those that are not done at the end of the context are cancelled."""

    def __init__(self, pool: WorkerPool, budget: Budget | None) -> None:
        self._pool = pool
        self._budget = budget
        self._pending: dict[Any, _PendingCall] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for reference in self._pending:
            with suppress(Exception):
                ray.cancel(reference)

    def __len__(self) -> int:
        return len(self._pending)

    def submit(self, position: int, call: Call, worker: int | None = None) -> None:
        """Make a call to a worker, by default to the one with the fewest pending calls."""
        self._start(_PendingCall(position, call, self._least_loaded() if worker is None else worker))

    def _start(self, pending: _PendingCall) -> None:
        with _translated_errors():
            self._pending[pending.call(self._pool.workers[pending.worker])] = pending

    def _least_loaded(self) -> int:
        load = [0] * len(self._pool)
        for pending in self._pending.values():
            load[pending.worker] += 1
        return load.index(min(load))

    def next(self) -> tuple[int, Any]:
        """Wait for a call, and return its position and result; the calls of a lost worker go to the next one."""
        while True:
            if self._budget is not None:
                self._budget.check()
            with _translated_errors():
                ready, _ = ray.wait(list(self._pending), num_returns=1, timeout=_POLL_SECONDS)
                if not ready:
                    self._pool.check_head()
                    continue
                pending = self._pending.pop(ready[0])
                try:
                    return pending.position, ray.get(ready[0])
                except exceptions.RayActorError:
                    self._pool.check_head()
            self._start(self._reassigned(pending))

    def _reassigned(self, pending: _PendingCall) -> _PendingCall:
        """Return a call for the worker after a lost one."""
        if pending.deaths >= _MAX_DEATHS:
            raise ClusterLostError(
                f"{pending.deaths + 1} workers died at the same piece of work, one after the other: where memory is "
                "the reason, smaller shards or more machines help"
            )
        warnings.warn("a worker was lost; another one does its work", stacklevel=2)
        time.sleep(_POLL_SECONDS * pending.deaths)
        return replace(pending, worker=(pending.worker + 1) % len(self._pool), deaths=pending.deaths + 1)


def _numbered(call: Callable[[Any, int], Any], number: int, worker: Any) -> Any:
    return call(worker, number)


@contextmanager
def _translated_errors() -> Iterator[None]:
    """Turn errors of Ray into a `ClusterLostError`, and raise an `R5Error` of a remote call as it is."""
    try:
        yield
    except exceptions.RayTaskError as error:
        cause = error.cause
        if isinstance(cause, R5Error):
            raise cause from None
        if not isinstance(cause, exceptions.RayError | ConnectionError):
            raise
        raise ClusterLostError(f"{_LOST}: {one_line(cause)}") from None
    except (exceptions.RayError, OSError) as error:
        raise ClusterLostError(f"{_LOST}: {one_line(error)}") from None


def one_line(error: BaseException) -> str:
    """Return the start of an error message on one line."""
    return " ".join(str(error).split())[:300]


def _head_address() -> tuple[str, int] | None:
    """Return host and port of the head of the cluster; None for a Ray client, which cannot reach it."""
    if ray.util.client.ray.is_connected():
        return None
    host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
    return host.strip("[]"), int(port)
