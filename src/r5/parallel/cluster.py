"""Cluster: the interface between the engines and the machines that they run on.

Results come in the order of the items, and sums are pairwise sums, so neither depends on the assignment of work to
workers. Randomness is seeded by the number of an item, never by its worker.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, Self, TypeVar

from r5._util.runtime.budget import Budget
from r5.parallel.pairwise_sum import Summable

__all__ = ["Capacity", "Cluster", "Shards", "Shared"]

Value = TypeVar("Value")
Item = TypeVar("Item")
Result = TypeVar("Result")
Argument = TypeVar("Argument")
Sum = TypeVar("Sum", bound=Summable)
Capacity = Callable[[], int]
"""Function that returns the maximum number of items in progress."""

_QUEUE_PER_WORKER = 4
"""Number of items per worker that a stream takes ahead of the results."""


class Shared(ABC, Generic[Value]):
    """Large read-only value with one copy on each machine; the function of `Cluster.map` may refer to it."""

    @property
    @abstractmethod
    def value(self) -> Value:
        """The value; its arrays must not be written to."""


class Shards(ABC, Generic[Value]):
    """Shards that stay with their workers while functions are called with each of them."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of shards."""

    @abstractmethod
    def map(
        self,
        function: Callable[[Value, Argument, Budget | None], Result],
        argument: Argument,
        budget: Budget | None = None,
    ) -> list[Result]:
        """Call a function with each shard.

        Args:
            function: Gets a shard, the argument and the budget. The budget is None in other processes; there the
                caller checks the time.
            argument: Passed to the function.
            budget: Time limit.

        Returns:
            The results in the order of the shards.

        """

    @abstractmethod
    def total(
        self,
        function: Callable[[Value, Argument, Budget | None], Sum],
        argument: Argument,
        budget: Budget | None = None,
    ) -> Sum:
        """Return the sum of the results of `map` over at least one shard; workers send sums only."""

    def release(self) -> None:
        """Free the shards."""
        return


class Cluster(ABC):
    """Workers on this machine or on others; `r5.open_cluster` makes one. The context manager ends the workers."""

    workers: int
    """Number of workers."""
    is_local: bool
    """Workers are threads of this process."""

    def stream(
        self, function: Callable[[Item], Result], items: Iterable[Item], budget: Budget | None = None
    ) -> Iterator[Result]:
        """Yield the results of a function in the order of the items.

        Args:
            function: Called with each item.
            items: Taken only a few per worker ahead of the results.
            budget: Time limit.

        """
        results: dict[int, Result] = {}
        following = 0
        for position, result in self._run(
            function, items, budget, lambda: _QUEUE_PER_WORKER * self.workers - len(results)
        ):
            results[position] = result
            while following in results:
                yield results.pop(following)
                following += 1

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        budget: Budget | None = None,
        on_result: Callable[[int, Result], None] | None = None,
    ) -> list[Result]:
        """Return the results of a function in the order of the items.

        Args:
            function: Called with each item.
            items: The items.
            budget: Time limit.
            on_result: Called with the position and the result of each item as it is done.

        """
        results: dict[int, Result] = {}
        for position, result in self._run(function, items, budget, lambda: self.workers):
            results[position] = result
            if on_result is not None:
                on_result(position, result)
        return [results[position] for position in range(len(items))]

    @abstractmethod
    def _run(
        self, function: Callable[[Item], Any], items: Iterable[Item], budget: Budget | None, capacity: Capacity
    ) -> Iterator[tuple[int, Any]]:
        """Yield positions and results of items as they are done."""

    @abstractmethod
    def share(self, value: Value) -> Shared[Value]:
        """Copy a large value to every machine once."""

    @abstractmethod
    def build_shards(
        self, build: Callable[[Item], Value], pieces: Sequence[Item], budget: Budget | None = None
    ) -> Shards[Value]:
        """Build a shard of each piece on the workers, which keep it; the shards of a lost worker are built again.

        Args:
            build: Called with each piece.
            pieces: The pieces.
            budget: Time limit.

        """

    def close(self) -> None:
        """End the workers."""
        return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
