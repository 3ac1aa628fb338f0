"""Local: the threads of this process; with one of them, work is done in order and nothing is handed over."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from functools import cached_property
from typing import Any

from r5._util.budget import Budget
from r5.parallel.cluster import Argument, Cluster, Held, Item, Result, Shared, Sum, Value
from r5.parallel.summing import Sums

__all__ = ["Local"]


class _Here(Shared[Value]):
    def __init__(self, value: Value) -> None:
        self._value = value

    @property
    def value(self) -> Value:
        return self._value


class Local(Cluster):
    """So many threads.

    >>> with Local(2) as cluster:
    ...     cluster.map(abs, [-3, 2]), cluster.hold(list, ["ab", "c"]).map(lambda shard, n, _: shard * n, 2)
    ([3, 2], [['a', 'b', 'a', 'b'], ['c', 'c']])
    """

    is_here = True

    def __init__(self, threads: int = 1) -> None:
        self.workers = threads

    @cached_property
    def pool(self) -> ThreadPoolExecutor:
        """Started when there is something to do for it."""
        return ThreadPoolExecutor(self.workers)

    def stream(
        self, function: Callable[[Item], Result], items: Iterable[Item], budget: Budget | None = None
    ) -> Iterator[Result]:
        """As `Cluster.stream`."""
        going: deque[Future[Result]] = deque()
        try:
            for item in items:
                if budget is not None:
                    budget.check()
                if self.workers == 1:
                    yield function(item)
                    continue
                going.append(self.pool.submit(function, item))
                if len(going) > 2 * self.workers:
                    yield going.popleft().result()
            while going:
                yield going.popleft().result()
        finally:
            for future in going:
                future.cancel()

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        budget: Budget | None = None,
        told: Callable[[int, Result], None] | None = None,
    ) -> list[Result]:
        """As `Cluster.map`."""
        found: list[Result] = []
        for place, result in enumerate(self.stream(function, items, budget)):
            found.append(result)
            if told is not None:
                told(place, result)
        return found

    def share(self, value: Value) -> Shared[Value]:
        """As `Cluster.share`: it is here already."""
        return _Here(value)

    def hold(self, build: Callable[[Item], Value], pieces: Sequence[Item], budget: Budget | None = None) -> Held[Value]:
        """As `Cluster.hold`."""
        return _HeldHere(self, self.map(build, pieces, budget))

    def close(self) -> None:
        """End the threads."""
        if "pool" in self.__dict__:
            self.pool.shutdown(cancel_futures=True)


class _HeldHere(Held[Value]):
    """Shards in the memory of this process."""

    def __init__(self, cluster: Local, shards: Sequence[Value]) -> None:
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
        results = dict(self._each(function, argument, budget))
        return [results[place] for place in range(len(self._shards))]

    def total(
        self,
        function: Callable[[Value, Argument, Budget | None], Sum],
        argument: Argument,
        budget: Budget | None = None,
    ) -> Sum:
        sums = Sums[Sum](len(self._shards))
        for place, value in self._each(function, argument, budget):
            sums.add((0, place), value)
        return sums.whole

    def _each(
        self, function: Callable[[Value, Any, Budget | None], Result], argument: Any, budget: Budget | None
    ) -> Iterator[tuple[int, Result]]:
        """Each shard's place and result, as they are done."""
        if self._cluster.workers == 1 or len(self._shards) == 1:
            yield from ((place, function(shard, argument, budget)) for place, shard in enumerate(self._shards))
            return
        pool = self._cluster.pool
        going = {pool.submit(function, shard, argument, budget): place for place, shard in enumerate(self._shards)}
        try:
            for future in as_completed(going):
                yield going[future], future.result()
        finally:
            for future in going:
                future.cancel()
