"""Ray: work on the machines of a Ray cluster. With `ray_crew` the only modules that know Ray.

A call brings along how to build the shards that it is about, so that any worker can do the work of one that was lost.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from r5._util.runtime.budget import Budget
from r5.errors import ClusterLostError
from r5.parallel.cluster import Argument, Cluster, Held, Item, Result, Room, Shared, Sum, Value
from r5.parallel.packing import pack, unpack
from r5.parallel.ray_crew import Calls, Crew, short  # first of all: it tells Ray what to read as it is imported
from r5.parallel.ray_worker import Shards
from r5.parallel.summing import Sums

import ray  # isort: skip
from ray import exceptions  # isort: skip

__all__ = ["RayCluster", "connect", "start"]


def start(workers: int | None) -> RayCluster:
    """Workers on a Ray of our own, on this machine alone; one that this process has started already is used."""
    return _joined(None, {"address": "local", "num_cpus": workers, "include_dashboard": False}, workers)


def connect(address: str, workers: int | None) -> RayCluster:
    """Workers on the Ray cluster at an address; `auto` is the one that this machine belongs to."""
    return _joined(address, {"address": address}, workers)


def _joined(address: str | None, options: dict[str, Any], workers: int | None) -> RayCluster:
    if ray.is_initialized():
        return RayCluster(Crew(workers), leave=False)
    _keep_off_standard_output()
    try:
        ray.init(**options, logging_level="ERROR", log_to_driver=False)
    except (OSError, RuntimeError, ImportError, ValueError, exceptions.RayError) as error:
        what = "Ray does not start" if address is None else f"there is no Ray cluster at {address}"
        raise ClusterLostError(f"{what}: {short(error)}") from None
    try:
        return RayCluster(Crew(workers), leave=True)
    except BaseException:
        ray.shutdown()
        raise


def _keep_off_standard_output() -> None:
    """Ray prints there that a worker has died, which we say ourselves; results have it for their own."""
    from ray._private import worker

    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda *_, **__: None


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
    """A crew on a Ray cluster, which is left at the end where it was joined for this."""

    is_here = False

    def __init__(self, crew: Crew, leave: bool) -> None:
        self._crew = crew
        self._leave = leave
        self.workers = len(crew)

    @property
    def processes(self) -> list[int]:
        """The number of each worker's process, on its machine."""
        return [process for _, process in self._crew.about()]

    def _flow(
        self, function: Callable[[Item], Any], items: Iterable[Item], budget: Budget | None, room: Room
    ) -> Iterator[tuple[int, Any]]:
        """As `Cluster._flow`."""
        reference = self._crew.put(function)
        rest = enumerate(items)
        with Calls(self._crew, budget) as calls:
            while True:
                while len(calls) < max(room(), 1):
                    if (following := next(rest, None)) is None:
                        break
                    place, item = following
                    calls.give(place, _calling(reference, pack(item)))
                if not calls:
                    return
                place, result = calls.next()
                yield place, unpack(result)

    def share(self, value: Value) -> Shared[Value]:
        """As `Cluster.share`: in the object store, from where arrays are not copied."""
        return _InStore(self._crew.put(value))

    def hold(self, build: Callable[[Item], Value], pieces: Sequence[Item], budget: Budget | None = None) -> Held[Value]:
        """As `Cluster.hold`: each worker has neighbouring shards."""
        return _HeldThere(self._crew, build, pieces)

    def close(self) -> None:
        """End the workers, and leave the cluster, which ends where it was started for this."""
        if not len(self._crew):
            return
        self._crew.dismiss()
        if self._leave and ray.is_initialized():
            with suppress(Exception):
                ray.shutdown()


def _calling(function: Any, item: bytes) -> Callable[[Any], Any]:
    return lambda worker: worker.call.remote([function], item)


class _HeldThere(Held[Value]):
    """Shards in the memory of the workers. References to the pieces that they are built of stay here."""

    def __init__(self, crew: Crew, build: Callable[[Item], Value], pieces: Sequence[Item]) -> None:
        self._crew = crew
        self._parts = len(pieces)
        name, maker = uuid.uuid4().hex, crew.put(build)
        references = [crew.put(pack(piece)) for piece in pieces]
        bounds = [self._parts * number // len(crew) for number in range(len(crew) + 1)]
        self._shards: list[Shards] = [
            (name, maker, {place: references[place] for place in range(bounds[number], bounds[number + 1])})
            for number in range(len(crew))
        ]
        # Nobody waits for that: what goes wrong is told by the first call about the shards, which tries again.
        crew.tell(lambda worker, number: worker.keep.remote(self._shards[number]))

    def __len__(self) -> int:
        return self._parts

    def map(
        self,
        function: Callable[[Value, Argument, Budget | None], Result],
        argument: Argument,
        budget: Budget | None = None,
    ) -> list[Result]:
        packed = self._crew.put(pack(argument))
        parts = self._crew.everyone(
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
        packed = self._crew.put(pack(argument))
        sums = Sums[Sum](self._parts)
        for part in self._crew.everyone(
            lambda worker, number: worker.total.remote(self._shards[number], function, packed, self._parts), budget
        ):
            sums.join(unpack(part))
        return sums.whole

    def release(self) -> None:
        """Let the workers forget the shards."""
        with suppress(Exception):
            self._crew.tell(lambda worker, _: worker.release.remote(self._shards[0][0]))
