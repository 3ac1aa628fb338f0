"""Local: the threads of this process; with one of them, work is done in order and nothing is handed over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, as_completed, wait
from functools import cached_property
from typing import Any

from r5._util.runtime.budget import Budget
from r5.parallel.cluster import Argument, Cluster, Held, Item, Result, Room, Shared, Sum, Value
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

    def _flow(
        self, function: Callable[[Item], Any], items: Iterable[Item], budget: Budget | None, room: Room
    ) -> Iterator[tuple[int, Any]]:
        """As `Cluster._flow`."""
        going: dict[Future[Any], int] = {}
        try:
            for place, item in enumerate(items):
                if budget is not None:
                    budget.check()
                if self.workers == 1:
                    yield place, function(item)
                    continue
                going[self.pool.submit(function, item)] = place
                while len(going) >= max(room(), 1):
                    yield from _done(going)
            while going:
                yield from _done(going)
        finally:
            for future in going:
                future.cancel()

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


def _done(going: dict[Future[Any], int]) -> Iterator[tuple[int, Any]]:
    """Wait for the first, and take what is done off the list."""
    done, _ = wait(going, return_when=FIRST_COMPLETED)
    for future in sorted(done, key=going.__getitem__):
        yield going.pop(future), future.result()


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
