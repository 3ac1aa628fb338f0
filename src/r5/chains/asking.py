"""Asking many questions on several threads: the answers are the same on any number of them, and in order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from r5.chains.answering import Answerer
from r5.parallel.local_cluster import LocalCluster

__all__ = ["ask_each"]

Item = TypeVar("Item")
Result = TypeVar("Result")
_PIECE = 16
"""So many are handed to a thread at once."""


def ask_each(
    answerers: Sequence[Answerer], ask: Callable[..., Result], items: Sequence[Item], threads: int
) -> list[Result]:
    """What `ask` finds out about each item, given it and the answerers; each thread has a room of its own."""
    if threads == 1:
        return [ask(item, *answerers) for item in items]
    own = threading.local()

    def some(first: int) -> list[Result]:
        if not hasattr(own, "answerers"):
            own.answerers = [one.apart() for one in answerers]
        apart: list[Any] = own.answerers
        return [ask(item, *apart) for item in items[first : first + _PIECE]]

    for one in answerers:
        one.make_ready()
    with LocalCluster(threads) as where:
        parts = where.map(some, range(0, len(items), _PIECE))
    return [result for part in parts for result in part]
