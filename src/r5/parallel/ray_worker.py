"""Worker: a process of a Ray cluster that calls functions with items, and keeps shards."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import r5
from r5.parallel.pairwise_sum import PairwiseSum
from r5.parallel.pickling import pack, unpack

__all__ = ["ShardReferences", "Worker"]

ShardReferences = tuple[str, Any, dict[int, Any]]
"""Name of a set of shards, reference to the function that builds one, and references to its pieces by position."""


class Worker:
    """Actor in a process of its own, which makes one call at a time; calls carry all that is needed to build shards."""

    def __init__(self, fetch: Callable[[Any], Any]) -> None:
        self._fetch = fetch
        self._shards: dict[str, dict[int, Any]] = {}
        self._functions: dict[Any, Callable[..., Any]] = {}

    def describe(self) -> tuple[str, int]:
        """Return the version of r5 and the id of this process."""
        return r5.__version__, os.getpid()

    def call(self, function: list[Any], item: bytes) -> bytes:
        """Call a function with an item.

        Args:
            function: Reference to the function, in a list so that Ray does not resolve it; the function is kept.
            item: The packed item.

        Returns:
            The packed result.

        """
        (reference,) = function
        if reference not in self._functions:
            self._functions = {reference: self._fetch(reference)}
        return pack(self._functions[reference](unpack(item)))

    def build(self, shards: ShardReferences) -> int:
        """Build shards, keep them and return their number."""
        return len(self._built(shards))

    def map(self, shards: ShardReferences, function: Callable[[Any, Any, None], Any], argument: bytes) -> bytes:
        """Return the packed results of a function by position of the shard."""
        shared = unpack(argument)
        return pack({position: function(shard, shared, None) for position, shard in self._built(shards).items()})

    def total(
        self, shards: ShardReferences, function: Callable[[Any, Any, None], Any], argument: bytes, parts: int
    ) -> bytes:
        """Return the packed blocks of the pairwise sum of a function over these shards, of `parts` in all."""
        shared = unpack(argument)
        sums: PairwiseSum[Any] = PairwiseSum(parts)
        for position, shard in self._built(shards).items():
            sums.add((0, position), function(shard, shared, None))
        return pack(sums.blocks)

    def release(self, name: str) -> None:
        """Free a set of shards."""
        self._shards.pop(name, None)

    def _built(self, shards: ShardReferences) -> dict[int, Any]:
        """Return the shards by position, and build those that are missing: all at first, or those of a lost worker."""
        name, build, pieces = shards
        kept = self._shards.setdefault(name, {})
        missing = [position for position in pieces if position not in kept]
        if missing:
            make = self._fetch(build)
            kept.update({position: make(unpack(self._fetch(pieces[position]))) for position in missing})
        return {position: kept[position] for position in pieces}
