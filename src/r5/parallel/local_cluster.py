"""LocalCluster: the threads of this process; a single one works in order, without a thread pool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, as_completed, wait
from functools import cached_property
from typing import Any

from r5._util.runtime.budget import Budget
from r5.parallel.cluster import Argument, Capacity, Cluster, Item, Result, Shards, Shared, Sum, Value
from r5.parallel.pairwise_sum import PairwiseSum

__all__ = ["LocalCluster"]


class _LocalValue(Shared[Value]):
    def __init__(self, value: Value) -> None:
        self._value = value

    @property
    def value(self) -> Value:
        return self._value


class LocalCluster(Cluster):
    """Threads of this process.

    >>> with LocalCluster(2) as cluster:
    ...     cluster.map(abs, [-3, 2]), cluster.build_shards(list, ["ab", "c"]).map(lambda shard, n, _: shard * n, 2)
    ([3, 2], [['a', 'b', 'a', 'b'], ['c', 'c']])
    """

    is_local = True

    def __init__(self, threads: int = 1) -> None:
        self.workers = threads

    @cached_property
    def pool(self) -> ThreadPoolExecutor:
        """Thread pool, started on first use."""
        return ThreadPoolExecutor(self.workers)

    def _run(
        self, function: Callable[[Item], Any], items: Iterable[Item], budget: Budget | None, capacity: Capacity
    ) -> Iterator[tuple[int, Any]]:
        """Yield positions and results of items as they are done."""
        pending: dict[Future[Any], int] = {}
        try:
            for position, item in enumerate(items):
                if budget is not None:
                    budget.check()
                if self.workers == 1:
                    yield position, function(item)
                    continue
                pending[self.pool.submit(function, item)] = position
                while len(pending) >= max(capacity(), 1):
                    yield from _pop_done(pending)
            while pending:
                yield from _pop_done(pending)
        finally:
            for future in pending:
                future.cancel()

    def share(self, value: Value) -> Shared[Value]:
        """Return the value itself."""
        return _LocalValue(value)

    def build_shards(
        self, build: Callable[[Item], Value], pieces: Sequence[Item], budget: Budget | None = None
    ) -> Shards[Value]:
        """Build a shard of each piece in the memory of this process."""
        return _LocalShards(self, self.map(build, pieces, budget))

    def close(self) -> None:
        """End the threads."""
        if "pool" in self.__dict__:
            self.pool.shutdown(cancel_futures=True)


def _pop_done(pending: dict[Future[Any], int]) -> Iterator[tuple[int, Any]]:
    """Wait until a future is done, remove all that are done, and yield their results."""
    done, _ = wait(pending, return_when=FIRST_COMPLETED)
    for future in sorted(done, key=pending.__getitem__):
        yield pending.pop(future), future.result()


class _LocalShards(Shards[Value]):
    """Shards in the memory of this process."""

    def __init__(self, cluster: LocalCluster, shards: Sequence[Value]) -> None:
        self._cluster = cluster
        self._shards = shards

    def __len__(self) -> int:
        return len(self._shards)

    def map(
        self,
        function: Callable[[Value, Argument, Budget | None], Result],
        argument: Argument,
        budget: Budget | None = None,
    ) -> list[Result]:
        results = dict(self._results(function, argument, budget))
        return [results[position] for position in range(len(self._shards))]

    def total(
        self,
        function: Callable[[Value, Argument, Budget | None], Sum],
        argument: Argument,
        budget: Budget | None = None,
    ) -> Sum:
        sums = PairwiseSum[Sum](len(self._shards))
        for position, value in self._results(function, argument, budget):
            sums.add((0, position), value)
        return sums.total

    def _results(
        self, function: Callable[[Value, Any, Budget | None], Result], argument: Any, budget: Budget | None
    ) -> Iterator[tuple[int, Result]]:
        """Yield position and result of each shard as they are done."""
        if self._cluster.workers == 1 or len(self._shards) == 1:
            yield from ((position, function(shard, argument, budget)) for position, shard in enumerate(self._shards))
            return
        pool = self._cluster.pool
        pending = {
            pool.submit(function, shard, argument, budget): position for position, shard in enumerate(self._shards)
        }
        try:
            for future in as_completed(pending):
                yield pending[future], future.result()
        finally:
            for future in pending:
                future.cancel()
