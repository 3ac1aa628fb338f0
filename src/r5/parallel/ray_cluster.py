"""RayCluster: work on the machines of a Ray cluster. With `ray_pool` the only modules that import Ray.

A call carries the references to build its shards, so that any worker can do the work of a lost one.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from r5._util.runtime.budget import Budget
from r5.errors import ClusterLostError
from r5.parallel.cluster import Argument, Capacity, Cluster, Item, Result, Shards, Shared, Sum, Value
from r5.parallel.pairwise_sum import PairwiseSum
from r5.parallel.pickling import pack, unpack
from r5.parallel.ray_pool import PendingCalls, WorkerPool, one_line  # before Ray: it sets variables that Ray reads
from r5.parallel.ray_worker import ShardReferences

import ray  # isort: skip
from ray import exceptions  # isort: skip

__all__ = ["RayCluster", "connect", "start"]


def start(workers: int | None) -> RayCluster:
    """Start a Ray on this machine alone, or use the one that this process has started."""
    return _join(None, {"address": "local", "num_cpus": workers, "include_dashboard": False}, workers)


def connect(address: str, workers: int | None) -> RayCluster:
    """Join the Ray cluster at an address; `auto` is the one that this machine belongs to."""
    return _join(address, {"address": address}, workers)


def _join(address: str | None, options: dict[str, Any], workers: int | None) -> RayCluster:
    if ray.is_initialized():
        return RayCluster(WorkerPool(workers), leave=False)
    _silence_standard_output()
    try:
        ray.init(**options, logging_level="ERROR", log_to_driver=False)
    except (OSError, RuntimeError, ImportError, ValueError, exceptions.RayError) as error:
        what = "Ray does not start" if address is None else f"there is no Ray cluster at {address}"
        raise ClusterLostError(f"{what}: {one_line(error)}") from None
    try:
        return RayCluster(WorkerPool(workers), leave=True)
    except BaseException:
        ray.shutdown()
        raise


def _silence_standard_output() -> None:
    """Stop Ray from printing lost workers on standard output, which is for results; r5 warns of them itself."""
    from ray._private import worker

    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda *_, **__: None


class _StoredValue(Shared[Value]):
    """Value in the object store of Ray, once on each machine; its arrays are not copied."""

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
    """Worker pool on a Ray cluster; `leave` disconnects from Ray at the end."""

    is_local = False

    def __init__(self, pool: WorkerPool, leave: bool) -> None:
        self._pool = pool
        self._leave = leave
        self.workers = len(pool)

    @property
    def processes(self) -> list[int]:
        """Process id of each worker, on its machine."""
        return [process for _, process in self._pool.describe()]

    def _run(
        self, function: Callable[[Item], Any], items: Iterable[Item], budget: Budget | None, capacity: Capacity
    ) -> Iterator[tuple[int, Any]]:
        """Yield positions and results of items as they are done."""
        reference = self._pool.put(function)
        rest = enumerate(items)
        with PendingCalls(self._pool, budget) as calls:
            while True:
                while len(calls) < max(capacity(), 1):
                    if (following := next(rest, None)) is None:
                        break
                    position, item = following
                    calls.submit(position, _remote_call(reference, pack(item)))
                if not calls:
                    return
                position, result = calls.next()
                yield position, unpack(result)

    def share(self, value: Value) -> Shared[Value]:
        """Put a value into the object store."""
        return _StoredValue(self._pool.put(value))

    def build_shards(
        self, build: Callable[[Item], Value], pieces: Sequence[Item], budget: Budget | None = None
    ) -> Shards[Value]:
        """Build a shard of each piece on the workers; each worker has neighbouring shards."""
        return _RemoteShards(self._pool, build, pieces)

    def close(self) -> None:
        """End the workers, and leave the Ray cluster if it was joined for this; a Ray started for this ends."""
        if not len(self._pool):
            return
        self._pool.stop()
        if self._leave and ray.is_initialized():
            with suppress(Exception):
                ray.shutdown()


def _remote_call(function: Any, item: bytes) -> Callable[[Any], Any]:
    return lambda worker: worker.call.remote([function], item)


class _RemoteShards(Shards[Value]):
    """Shards in the memory of the workers; this process keeps references to their pieces."""

    def __init__(self, pool: WorkerPool, build: Callable[[Item], Value], pieces: Sequence[Item]) -> None:
        self._pool = pool
        self._parts = len(pieces)
        name, maker = uuid.uuid4().hex, pool.put(build)
        references = [pool.put(pack(piece)) for piece in pieces]
        bounds = [self._parts * number // len(pool) for number in range(len(pool) + 1)]
        self._shards: list[ShardReferences] = [
            (name, maker, {position: references[position] for position in range(bounds[number], bounds[number + 1])})
            for number in range(len(pool))
        ]
        # No result is awaited: the first call about the shards builds those that failed, and reports the error.
        pool.notify_all(lambda worker, number: worker.build.remote(self._shards[number]))

    def __len__(self) -> int:
        return self._parts

    def map(
        self,
        function: Callable[[Value, Argument, Budget | None], Result],
        argument: Argument,
        budget: Budget | None = None,
    ) -> list[Result]:
        packed = self._pool.put(pack(argument))
        parts = self._pool.call_all(
            lambda worker, number: worker.map.remote(self._shards[number], function, packed), budget
        )
        results = {position: result for part in parts for position, result in unpack(part).items()}
        return [results[position] for position in range(self._parts)]

    def total(
        self,
        function: Callable[[Value, Argument, Budget | None], Sum],
        argument: Argument,
        budget: Budget | None = None,
    ) -> Sum:
        packed = self._pool.put(pack(argument))
        sums = PairwiseSum[Sum](self._parts)
        for part in self._pool.call_all(
            lambda worker, number: worker.total.remote(self._shards[number], function, packed, self._parts), budget
        ):
            sums.join(unpack(part))
        return sums.total

    def release(self) -> None:
        """Free the shards on the workers."""
        with suppress(Exception):
            self._pool.notify_all(lambda worker, _: worker.release.remote(self._shards[0][0]))
