"""Ray: workers on the machines of a Ray cluster. The only module that knows Ray.

Each worker is an actor of one core that stays until the end, with the compiled kernels and the shards that it holds.
A call brings along how to build the shards that it is about, so that any worker can do the work of one that was lost.
"""

from __future__ import annotations

import os
import socket
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from r5 import __version__
from r5._util.budget import Budget
from r5.errors import ClusterLostError, R5Error, need
from r5.parallel.cluster import Argument, Cluster, Held, Item, Result, Shared, Sum, Value
from r5.parallel.packing import pack, unpack
from r5.parallel.ray_worker import Shards, Worker
from r5.parallel.summing import Sums

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # said before Ray is imported: nobody is told that it is used
try:
    import ray
    from ray import exceptions
except ImportError:
    raise need("ray", "ray") from None

__all__ = ["RayCluster", "connect", "start"]

_LOOK_UP = 0.5
"""Seconds after which whoever waits for workers looks at the clock, and whether the cluster is still there."""
_WAIT = 30.0
"""Seconds after which it is said that there are no free cores."""
_PATIENCE = 3.0
"""Seconds for which the head of the cluster may be silent."""
_MOST_DEATHS = 4
"""So many workers may die at the same piece of work; it is then taken to be the reason."""
_AHEAD = 4
"""Items that are taken for each worker before the first of them is done."""

Call = Callable[[Any], Any]
"""Gives a worker something to do; what comes back is a reference to the result."""


def start(workers: int | None) -> RayCluster:
    """Workers on a Ray of our own, on this machine alone; one that this process has started already is used."""
    return _joined(None, {"address": "local", "num_cpus": workers, "include_dashboard": False}, workers)


def connect(address: str, workers: int | None) -> RayCluster:
    """Workers on the Ray cluster at an address; `auto` is the one that this machine belongs to."""
    return _joined(address, {"address": address}, workers)


def _joined(address: str | None, options: dict[str, Any], workers: int | None) -> RayCluster:
    if ray.is_initialized():
        return RayCluster(workers, leave=False)
    _keep_off_standard_output()
    try:
        ray.init(**options, logging_level="ERROR", log_to_driver=False)
    except (OSError, RuntimeError, ImportError, ValueError, exceptions.RayError) as error:
        what = "Ray does not start" if address is None else f"there is no Ray cluster at {address}"
        raise ClusterLostError(f"{what}: {_short(error)}") from None
    return RayCluster(workers, leave=True)


def _keep_off_standard_output() -> None:
    """Ray prints there that a worker has died, which we say ourselves; results have it for their own."""
    from ray._private import worker

    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda *_, **__: None


@dataclass(frozen=True)
class _Going:
    """A call that a worker has been given."""

    place: int
    call: Call
    worker: int
    deaths: int = 0


class _InStore(Shared[Value]):
    """Something in Ray's object store, once on each machine; its arrays are read where they are."""

    def __init__(self, reference: Any) -> None:
        self._reference = reference

    @property
    def value(self) -> Value:
        if "_value" not in self.__dict__:
            self._value: Value = ray.get(self._reference)
        return self._value

    def __getstate__(self) -> dict[str, Any]:
        return {"_reference": self._reference}


class RayCluster(Cluster):
    """One worker for each core of a Ray cluster, or so many."""

    is_here = False

    def __init__(self, workers: int | None, leave: bool) -> None:
        self._leave = leave
        self._is_lost = False
        self._head = _address_of_head()
        self.workers = max(workers or int(ray.cluster_resources().get("CPU", 1)), 1)
        actor = ray.remote(Worker).options(
            num_cpus=1, max_restarts=-1, max_task_retries=0, scheduling_strategy="SPREAD"
        )
        self._crew = [actor.remote(ray.get) for _ in range(self.workers)]
        self._wait_for_cores()
        try:
            versions = {version for version, _ in self._about()}
            if versions != {__version__}:
                raise ClusterLostError(f"the workers have r5 {', '.join(sorted(versions))}, not {__version__} as here")
        except BaseException:
            self.close()
            raise

    def _wait_for_cores(self) -> None:
        """Say so where the workers have to wait for others to leave."""
        first = [worker.about.remote() for worker in self._crew]
        if len(ray.wait(first, num_returns=len(first), timeout=_WAIT)[0]) < len(first):
            warnings.warn(f"waiting for {self.workers} free cores on the Ray cluster", stacklevel=2)

    @property
    def processes(self) -> list[int]:
        """The number of each worker's process, on its machine."""
        return [process for _, process in self._about()]

    def _about(self) -> list[tuple[str, int]]:
        return self._everyone(lambda worker, _: worker.about.remote(), None)

    def stream(
        self, function: Callable[[Item], Result], items: Iterable[Item], budget: Budget | None = None
    ) -> Iterator[Result]:
        """As `Cluster.stream`."""
        found: dict[int, Result] = {}
        wanted = 0
        for place, result in self._flow(function, items, budget, lambda: _AHEAD * self.workers - len(found)):
            found[place] = result
            while wanted in found:
                yield found.pop(wanted)
                wanted += 1

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        budget: Budget | None = None,
        told: Callable[[int, Result], None] | None = None,
    ) -> list[Result]:
        """As `Cluster.map`: each worker gets an item whenever it has none."""
        found: dict[int, Result] = {}
        for place, result in self._flow(function, items, budget, lambda: self.workers):
            found[place] = result
            if told is not None:
                told(place, result)
        return [found[place] for place in range(len(items))]

    def _flow(
        self, function: Callable[[Item], Any], items: Iterable[Item], budget: Budget | None, room: Callable[[], int]
    ) -> Iterator[tuple[int, Any]]:
        """Places and results as they are done, with so many on their way as there is room for."""
        reference = self._put(function)
        rest = enumerate(items)
        going: dict[Any, _Going] = {}
        try:
            while True:
                while len(going) < max(room(), 1):
                    if (following := next(rest, None)) is None:
                        break
                    place, item = following
                    self._give(going, _Going(place, _calling(reference, pack(item)), self._idlest(going)))
                if not going:
                    return
                done, result = self._next(going, budget)
                yield done.place, unpack(result)
        finally:
            self._call_off(going)

    def _idlest(self, going: dict[Any, _Going]) -> int:
        """The worker that has been given the least."""
        load = [0] * self.workers
        for one in going.values():
            load[one.worker] += 1
        return load.index(min(load))

    def share(self, value: Value) -> Shared[Value]:
        """As `Cluster.share`: in the object store, from where arrays are not copied."""
        return _InStore(self._put(value))

    def hold(self, build: Callable[[Item], Value], pieces: Sequence[Item], budget: Budget | None = None) -> Held[Value]:
        """As `Cluster.hold`: each worker has neighbouring shards."""
        return _HeldThere(self, build, pieces, budget)

    def _everyone(self, call: Callable[[Any, int], Any], budget: Budget | None) -> list[Any]:
        """What each worker answers to its call, by the number of the worker."""
        going: dict[Any, _Going] = {}
        try:
            for number in range(self.workers):
                self._give(going, _Going(number, _numbered(call, number), number))
            found: dict[int, Any] = {}
            while going:
                done, result = self._next(going, budget)
                found[done.place] = result
            return [found[number] for number in range(self.workers)]
        finally:
            self._call_off(going)

    def _give(self, going: dict[Any, _Going], one: _Going) -> None:
        with _telling_loss():
            going[one.call(self._crew[one.worker])] = one

    def _put(self, value: Any) -> Any:
        """A reference to something in the object store."""
        with _telling_loss():
            return ray.put(value)

    def _next(self, going: dict[Any, _Going], budget: Budget | None) -> tuple[_Going, Any]:
        """The next call that is done, with its result; what a lost worker was doing is given to the next one."""
        while True:
            if budget is not None:
                budget.check()
            with _telling_loss():
                ready, _ = ray.wait(list(going), num_returns=1, timeout=_LOOK_UP)
                if not ready:
                    self._look_for_head()
                    continue
                one = going.pop(ready[0])
                try:
                    return one, ray.get(ready[0])
                except exceptions.RayActorError:
                    self._look_for_head()
            self._give(going, self._elsewhere(one))

    def _elsewhere(self, one: _Going) -> _Going:
        if one.deaths >= _MOST_DEATHS:
            raise ClusterLostError(
                f"{one.deaths + 1} workers died at the same piece of work, one after the other: where memory is the "
                "reason, smaller shards or more machines help"
            )
        warnings.warn("a worker was lost; another one does its work", stacklevel=2)
        time.sleep(_LOOK_UP * one.deaths)
        return replace(one, worker=(one.worker + 1) % self.workers, deaths=one.deaths + 1)

    def _look_for_head(self) -> None:
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

    def _call_off(self, going: dict[Any, _Going]) -> None:
        for reference in going:
            with suppress(Exception):
                ray.cancel(reference)

    def close(self) -> None:
        """End the workers, and leave the cluster, which ends where it was started for this."""
        crew, self._crew = self._crew, []
        if not crew or not ray.is_initialized():
            return
        for worker in [] if self._is_lost else crew:
            with suppress(Exception):
                ray.kill(worker)
        if self._leave:
            with suppress(Exception):
                ray.shutdown()


_LOST = "the Ray cluster is lost"


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
        raise ClusterLostError(f"{_LOST}: {_short(cause)}") from None
    except (exceptions.RayError, OSError) as error:
        raise ClusterLostError(f"{_LOST}: {_short(error)}") from None


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:300]


def _calling(function: Any, item: bytes) -> Call:
    return lambda worker: worker.call.remote([function], item)


def _numbered(call: Callable[[Any, int], Any], number: int) -> Call:
    return lambda worker: call(worker, number)


def _address_of_head() -> tuple[str, int] | None:
    """Where the head of the cluster listens; None where it cannot be seen from here."""
    if ray.util.client.ray.is_connected():
        return None
    host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
    return host.strip("[]"), int(port)


class _HeldThere(Held[Value]):
    """Shards in the memory of the workers. References to the pieces that they are built of stay here."""

    def __init__(
        self, cluster: RayCluster, build: Callable[[Item], Value], pieces: Sequence[Item], budget: Budget | None
    ) -> None:
        self._cluster = cluster
        self._parts = len(pieces)
        name, maker = uuid.uuid4().hex, cluster._put(build)
        references = [cluster._put(pack(piece)) for piece in pieces]
        bounds = [self._parts * number // cluster.workers for number in range(cluster.workers + 1)]
        self._shards: list[Shards] = [
            (name, maker, {place: references[place] for place in range(bounds[number], bounds[number + 1])})
            for number in range(cluster.workers)
        ]
        # Nobody waits for that: what goes wrong is told by the first call about the shards, which tries again.
        for worker, shards in zip(cluster._crew, self._shards, strict=True):
            worker.keep.remote(shards)

    def __len__(self) -> int:
        return self._parts

    def map(
        self,
        function: Callable[[Value, Argument, Budget | None], Result],
        argument: Argument,
        budget: Budget | None = None,
    ) -> list[Result]:
        packed = self._cluster._put(pack(argument))
        parts = self._cluster._everyone(
            lambda worker, number: worker.map.remote(self._shards[number], function, packed), budget
        )
        found = {place: result for part in parts for place, result in unpack(part).items()}
        return [found[place] for place in range(self._parts)]

    def total(
        self,
        function: Callable[[Value, Argument, Budget | None], Sum],
        argument: Argument,
        budget: Budget | None = None,
    ) -> Sum:
        packed = self._cluster._put(pack(argument))
        sums = Sums[Sum](self._parts)
        for part in self._cluster._everyone(
            lambda worker, number: worker.total.remote(self._shards[number], function, packed, self._parts), budget
        ):
            sums.join(unpack(part))
        return sums.whole

    def release(self) -> None:
        """Let the workers forget the shards."""
        for worker in self._cluster._crew:
            with suppress(Exception):
                worker.release.remote(self._shards[0][0])
