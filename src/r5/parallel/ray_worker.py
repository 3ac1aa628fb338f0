"""What a Ray worker does: it calls functions with items, and keeps shards that it builds when it first needs them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import r5
from r5.parallel.packing import pack, unpack
from r5.parallel.summing import Sums

__all__ = ["Shards", "Worker"]

Shards = tuple[str, Any, dict[int, Any]]
"""The name of what is held, and references to the function that builds a shard and to the pieces, by place."""


class Worker:
    """One process; it does one thing after the other. All that it holds can be built again from what calls bring."""

    def __init__(self, fetch: Callable[[Any], Any]) -> None:
        self._fetch = fetch
        self._shards: dict[str, dict[int, Any]] = {}
        self._functions: dict[Any, Callable[..., Any]] = {}

    def about(self) -> tuple[str, int]:
        """The version of r5 here, and the number of this process."""
        return r5.__version__, os.getpid()

    def call(self, function: list[Any], item: bytes) -> bytes:
        """The function that is referred to, of the item; it stays here, with whatever it remembers."""
        (reference,) = function
        if reference not in self._functions:
            self._functions = {reference: self._fetch(reference)}
        return pack(self._functions[reference](unpack(item)))

    def keep(self, shards: Shards) -> int:
        """Build shards and keep them."""
        return len(self._built(shards))

    def map(self, shards: Shards, function: Callable[[Any, Any, None], Any], argument: bytes) -> bytes:
        """The function of each shard and the argument, by place."""
        shared = unpack(argument)
        return pack({place: function(shard, shared, None) for place, shard in self._built(shards).items()})

    def total(self, shards: Shards, function: Callable[[Any, Any, None], Any], argument: bytes, parts: int) -> bytes:
        """The sums of what the function gives for each shard, as far as these shards, of so many parts, allow."""
        shared = unpack(argument)
        sums: Sums[Any] = Sums(parts)
        for place, shard in self._built(shards).items():
            sums.add((0, place), function(shard, shared, None))
        return pack(sums.blocks)

    def release(self, held: str) -> None:
        """Forget shards."""
        self._shards.pop(held, None)

    def _built(self, shards: Shards) -> dict[int, Any]:
        """The shards by place, those that are not here built now: at first, or after another worker was lost."""
        held, build, pieces = shards
        there = self._shards.setdefault(held, {})
        missing = [place for place in pieces if place not in there]
        if missing:
            make = self._fetch(build)
            there.update({place: make(unpack(self._fetch(pieces[place]))) for place in missing})
        return {place: there[place] for place in pieces}
