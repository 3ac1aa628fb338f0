"""Pairwise summation, whose rounding depends on the number of parts only, not on their order of arrival.

Parts are added in pairs, then the sums of pairs, and so on. A worker adds the parts that it has as far as they form
complete blocks, and passes on the sums of these blocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, Protocol, Self, TypeVar

__all__ = ["PairwiseSum", "Summable"]

Block = tuple[int, int]
"""Level of a block, 0 for single parts, and its position at that level."""


class Summable(Protocol):
    """Value that can be added to another of its kind."""

    def __add__(self, other: Self, /) -> Self: ...


T = TypeVar("T", bound=Summable)


class PairwiseSum(Generic[T]):
    """Partial sum of a known number of parts.

    >>> here, there = PairwiseSum[float](5), PairwiseSum[float](5)
    >>> for position, part in enumerate([1e16, 1.0, -1e16, 1.0, 0.5]):
    ...     (here if position in (0, 4) else there).add((0, position), part)
    >>> here.join(there.blocks)
    >>> here.total == ((1e16 + 1.0) + (-1e16 + 1.0)) + 0.5
    True
    """

    def __init__(self, parts: int) -> None:
        self._parts = parts
        self.blocks: dict[Block, T] = {}
        """Sums of blocks without their partner."""

    def add(self, block: Block, value: T) -> None:
        """Add the sum of a block, and merge all blocks that are complete."""
        level, position = block
        while 1 << level < self._parts:
            partner = (level, position ^ 1)
            if partner[1] << level < self._parts:  # otherwise the block has no partner and moves up unchanged
                if partner not in self.blocks:
                    break
                other = self.blocks.pop(partner)
                value = other + value if position & 1 else value + other
            level, position = level + 1, position >> 1
        self.blocks[level, position] = value

    def join(self, blocks: Mapping[Block, T]) -> None:
        """Add the blocks of another partial sum."""
        for block, value in sorted(blocks.items(), key=lambda item: item[0]):
            self.add(block, value)

    @property
    def total(self) -> T:
        """Sum of all parts; there is at least one, and all have been added."""
        (value,) = self.blocks.values()
        return value
