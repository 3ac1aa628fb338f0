"""Cluster: what engines see of the machines that they run on.

Results come in the order of the work, and sums are those of `Sums`: which worker does what, and when it is done, leaves
no trace in them. What is random is seeded by the number of a piece of work, never by its worker.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, Self, TypeVar

from r5._util.runtime.budget import Budget
from r5.parallel.summing import Summable

__all__ = ["Cluster", "Held", "Room", "Shared"]

Value = TypeVar("Value")
Item = TypeVar("Item")
Result = TypeVar("Result")
Argument = TypeVar("Argument")
Sum = TypeVar("Sum", bound=Summable)
Room = Callable[[], int]

_AHEAD = 4
"""Items that are taken for each worker before the first of them is done."""


class Shared(ABC, Generic[Value]):
    """Something large that is only read, once on each machine; it may be part of what `Cluster.map` is given."""

    @property
    @abstractmethod
    def value(self) -> Value:
        """The thing itself; its arrays must not be written to."""


class Held(ABC, Generic[Value]):
    """Shards that stay where they are while one function after the other is called with each of them."""

    @abstractmethod
    def __len__(self) -> int:
        """The number of shards."""

    @abstractmethod
    def map(
        self,
        function: Callable[[Value, Argument, Budget | None], Result],
        argument: Argument,
        budget: Budget | None = None,
    ) -> list[Result]:
        """What the function gives for each shard and the argument, in the order of the shards.

        It gets the budget too where it runs in this process; else whoever waits for it looks at the time.
        """

    @abstractmethod
    def total(
        self,
        function: Callable[[Value, Argument, Budget | None], Sum],
        argument: Argument,
        budget: Budget | None = None,
    ) -> Sum:
        """The sum of what `map` would give, of at least one shard; only sums leave a worker."""

    def release(self) -> None:
        """The shards are not needed any more."""
        return


class Cluster(ABC):
    """Workers, on this machine or on others, and how to give them work; `r5.open_cluster` makes one.

    Use it as a context: at its end the workers are sent home.
    """

    workers: int
    """How many there are."""
    is_here: bool
    """Whether they are threads of this process."""

    def stream(
        self, function: Callable[[Item], Result], items: Iterable[Item], budget: Budget | None = None
    ) -> Iterator[Result]:
        """What the function gives for each item, in order; only so many items are taken as the workers keep up with."""
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
        """What the function gives for each item, in order; `told` gets the place and result of each as it is done."""
        found: dict[int, Result] = {}
        for place, result in self._flow(function, items, budget, lambda: self.workers):
            found[place] = result
            if told is not None:
                told(place, result)
        return [found[place] for place in range(len(items))]

    @abstractmethod
    def _flow(
        self, function: Callable[[Item], Any], items: Iterable[Item], budget: Budget | None, room: Room
    ) -> Iterator[tuple[int, Any]]:
        """Places and results of items as they are done, with so many on their way as there is room for."""

    @abstractmethod
    def share(self, value: Value) -> Shared[Value]:
        """Bring something large to every machine, once."""

    @abstractmethod
    def hold(self, build: Callable[[Item], Value], pieces: Sequence[Item], budget: Budget | None = None) -> Held[Value]:
        """Let the workers build a shard of each piece and keep it; what a lost worker had is built anew."""

    def close(self) -> None:
        """Send the workers home."""
        return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
