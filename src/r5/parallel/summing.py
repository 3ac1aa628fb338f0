"""Sums whose rounding depends on nothing but the number of parts: not on who adds which, nor on what is ready first.

Parts are added in pairs, then those sums, as in a knockout tournament. Whoever has some of the parts adds what belongs
together and passes on the few sums that wait for others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, Protocol, Self, TypeVar

__all__ = ["Summable", "Sums"]

Block = tuple[int, int]
"""A level of the tournament, 0 for single parts, and a place at that level."""


class Summable(Protocol):
    """What can be added to its like."""

    def __add__(self, other: Self, /) -> Self: ...


T = TypeVar("T", bound=Summable)


class Sums(Generic[T]):
    """The sums of those parts, of so many in all, that have come so far.

    >>> here, there = Sums[float](5), Sums[float](5)
    >>> for place, part in enumerate([1e16, 1.0, -1e16, 1.0, 0.5]):
    ...     (here if place in (0, 4) else there).add((0, place), part)
    >>> here.join(there.blocks)
    >>> here.whole == ((1e16 + 1.0) + (-1e16 + 1.0)) + 0.5
    True
    """

    def __init__(self, parts: int) -> None:
        self._parts = parts
        self.blocks: dict[Block, T] = {}
        """Sums that wait for their partner."""

    def add(self, block: Block, value: T) -> None:
        """Take a part, or the sum of a block of them, and add up whatever is now complete."""
        level, place = block
        while 1 << level < self._parts:
            partner = (level, place ^ 1)
            if partner[1] << level < self._parts:  # else there is none: the sum goes on as it is
                if partner not in self.blocks:
                    break
                other = self.blocks.pop(partner)
                value = other + value if place & 1 else value + other
            level, place = level + 1, place >> 1
        self.blocks[level, place] = value

    def join(self, blocks: Mapping[Block, T]) -> None:
        """Take what somebody else has added up."""
        for block, value in sorted(blocks.items(), key=lambda item: item[0]):
            self.add(block, value)

    @property
    def whole(self) -> T:
        """The sum of all parts; there must be at least one, and all must have come."""
        (value,) = self.blocks.values()
        return value
