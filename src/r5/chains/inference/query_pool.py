"""Evaluation of many queries on several threads; results do not depend on their number."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from r5.chains.inference.query_scorer import QueryScorer
from r5.parallel.local_cluster import LocalCluster

__all__ = ["map_queries"]

Item = TypeVar("Item")
Result = TypeVar("Result")
_PIECE = 16
"""Items that a thread is given at a time."""


def map_queries(
    query_scorers: Sequence[QueryScorer], ask: Callable[..., Result], items: Sequence[Item], threads: int
) -> list[Result]:
    """Return `ask(item, *query_scorers)` for each item, in order; each thread has its own scratch arrays."""
    if threads == 1:
        return [ask(item, *query_scorers) for item in items]
    own = threading.local()

    def some(first: int) -> list[Result]:
        if not hasattr(own, "answerers"):
            own.query_scorers = [one.for_thread() for one in query_scorers]
        for_thread: list[Any] = own.query_scorers
        return [ask(item, *for_thread) for item in items[first : first + _PIECE]]

    for one in query_scorers:
        one.precompute()
    with LocalCluster(threads) as where:
        parts = where.map(some, range(0, len(items), _PIECE))
    return [result for part in parts for result in part]
