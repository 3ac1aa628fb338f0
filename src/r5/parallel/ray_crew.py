"""Crew: the workers of a Ray cluster, and calls to them that outlive any of them.

Each worker is an actor of one core that stays until the end, with the compiled kernels and the shards that it holds.
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

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # said before Ray is imported: nobody is told that it is used
try:
    import ray
    from ray import exceptions
except ImportError:
    raise need("ray", "ray") from None

__all__ = ["Calls", "Crew", "short"]

_LOOK_UP = 0.5
"""Seconds after which whoever waits for workers looks at the clock, and whether the cluster is still there."""
_WAIT = 30.0
"""Seconds after which it is said that there are no free cores."""
_PATIENCE = 3.0
"""Seconds for which the head of the cluster may be silent."""
_MOST_DEATHS = 4
"""So many workers may die at the same piece of work; it is then taken to be the reason."""
_LOST = "the Ray cluster is lost"

Call = Callable[[Any], Any]
"""Gives a worker something to do; what comes back is a reference to the result."""


class Crew:
    """One worker for each core of the Ray cluster that this process has joined, or so many."""

    def __init__(self, workers: int | None) -> None:
        self._is_lost = False
        self._head = _address_of_head()
        size = max(workers or int(ray.cluster_resources().get("CPU", 1)), 1)
        actor = ray.remote(Worker).options(
            num_cpus=1, max_restarts=-1, max_task_retries=0, scheduling_strategy="SPREAD"
        )
        self.members = [actor.remote(ray.get) for _ in range(size)]
        self._wait_for_cores()
        try:
            versions = {version for version, _ in self.about()}
            if versions != {__version__}:
                raise ClusterLostError(f"the workers have r5 {', '.join(sorted(versions))}, not {__version__} as here")
        except BaseException:
            self.dismiss()
            raise

    def __len__(self) -> int:
        return len(self.members)

    def _wait_for_cores(self) -> None:
        """Say so where the workers have to wait for others to leave."""
        first = [worker.about.remote() for worker in self.members]
        if len(ray.wait(first, num_returns=len(first), timeout=_WAIT)[0]) < len(first):
            warnings.warn(f"waiting for {len(self)} free cores on the Ray cluster", stacklevel=2)

    def about(self) -> list[tuple[str, int]]:
        """The version of r5 and the number of the process of each worker."""
        return self.everyone(lambda worker, _: worker.about.remote(), None)

    def put(self, value: Any) -> Any:
        """A reference to something in the object store."""
        with _telling_loss():
            return ray.put(value)

    def tell(self, call: Callable[[Any, int], Any]) -> None:
        """Give each worker something to do for whose result nobody waits."""
        with _telling_loss():
            for number, worker in enumerate(self.members):
                call(worker, number)

    def everyone(self, call: Callable[[Any, int], Any], budget: Budget | None) -> list[Any]:
        """What each worker answers to its call, by the number of the worker."""
        with Calls(self, budget) as calls:
            for number in range(len(self)):
                calls.give(number, partial(_numbered, call, number), number)
            found = dict(calls.next() for _ in range(len(self)))
        return [found[number] for number in range(len(self))]

    def dismiss(self) -> None:
        """End the workers."""
        members, self.members = self.members, []
        for worker in [] if self._is_lost or not ray.is_initialized() else members:
            with suppress(Exception):
                ray.kill(worker)

    def look_for_head(self) -> None:
        """An error where the head of the cluster does not answer for a while."""
        if self._head is None:
            return
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                with socket.create_connection(self._head, timeout=_LOOK_UP):
                    return
            except OSError:
                if time.monotonic() > end:
                    self._is_lost = True
                    raise ClusterLostError(f"{_LOST}: {self._head[0]}:{self._head[1]} is silent") from None
                time.sleep(_LOOK_UP)


@dataclass(frozen=True)
class _Going:
    """A call that a worker has been given."""

    place: int
    call: Call
    worker: int
    deaths: int = 0


class Calls:
    """Calls that are on their way; those that still are when the context ends are called off."""

    def __init__(self, crew: Crew, budget: Budget | None) -> None:
        self._crew = crew
        self._budget = budget
        self._going: dict[Any, _Going] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for reference in self._going:
            with suppress(Exception):
                ray.cancel(reference)

    def __len__(self) -> int:
        return len(self._going)

    def give(self, place: int, call: Call, worker: int | None = None) -> None:
        """Give a call to a worker, by default to the one that has been given the least."""
        self._start(_Going(place, call, self._idlest() if worker is None else worker))

    def _start(self, one: _Going) -> None:
        with _telling_loss():
            self._going[one.call(self._crew.members[one.worker])] = one

    def _idlest(self) -> int:
        load = [0] * len(self._crew)
        for one in self._going.values():
            load[one.worker] += 1
        return load.index(min(load))

    def next(self) -> tuple[int, Any]:
        """The next call that is done, with its result; what a lost worker was doing is given to the next one."""
        while True:
            if self._budget is not None:
                self._budget.check()
            with _telling_loss():
                ready, _ = ray.wait(list(self._going), num_returns=1, timeout=_LOOK_UP)
                if not ready:
                    self._crew.look_for_head()
                    continue
                one = self._going.pop(ready[0])
                try:
                    return one.place, ray.get(ready[0])
                except exceptions.RayActorError:
                    self._crew.look_for_head()
            self._start(self._elsewhere(one))

    def _elsewhere(self, one: _Going) -> _Going:
        if one.deaths >= _MOST_DEATHS:
            raise ClusterLostError(
                f"{one.deaths + 1} workers died at the same piece of work, one after the other: where memory is the "
                "reason, smaller shards or more machines help"
            )
        warnings.warn("a worker was lost; another one does its work", stacklevel=2)
        time.sleep(_LOOK_UP * one.deaths)
        return replace(one, worker=(one.worker + 1) % len(self._crew), deaths=one.deaths + 1)


def _numbered(call: Callable[[Any, int], Any], number: int, worker: Any) -> Any:
    return call(worker, number)


@contextmanager
def _telling_loss() -> Iterator[None]:
    """What Ray says where it cannot go on becomes an error of ours, and what our work says is said as it is."""
    try:
        yield
    except exceptions.RayTaskError as error:
        cause = error.cause
        if isinstance(cause, R5Error):
            raise cause from None
        if not isinstance(cause, exceptions.RayError | ConnectionError):
            raise
        raise ClusterLostError(f"{_LOST}: {short(cause)}") from None
    except (exceptions.RayError, OSError) as error:
        raise ClusterLostError(f"{_LOST}: {short(error)}") from None


def short(error: BaseException) -> str:
    """What Ray says, on one line."""
    return " ".join(str(error).split())[:300]


def _address_of_head() -> tuple[str, int] | None:
    """Where the head of the cluster listens; None where it cannot be seen from here."""
    if ray.util.client.ray.is_connected():
        return None
    host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
    return host.strip("[]"), int(port)
