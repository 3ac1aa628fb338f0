"""How many ways lead from a question's source to its target side by side, sharing no entity in between."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from r5.examples import Example, Examples

__all__ = ["branches_between", "count_branches"]

_LARGEST = 2_000
"""Graphs with more edges are not looked at: their questions have 0 branches, which stands for not known."""


def count_branches(examples: Examples) -> NDArray[np.int64]:
    """The number of branches of each example; 0 where the graph is large."""
    small = np.diff(examples.edge_offsets)[examples.graph_of] <= _LARGEST
    return np.array([_of(example) if few else 0 for example, few in zip(examples, small, strict=True)], dtype=np.int64)


def _of(example: Example) -> int:
    graph = example.graph
    edges = zip(graph.sources.tolist(), graph.targets.tolist(), graph.facts.tolist(), strict=True)
    kept = [(source, target) for source, target, fact in edges if fact != example.hidden_fact]
    return branches_between(kept, example.query.source, example.query.target)


def branches_between(edges: Iterable[tuple[int, int]], source: int, target: int) -> int:
    """The most paths from source to target that share no node but these (Menger); a direct edge is none.

    >>> branches_between([(0, 2), (2, 1), (0, 3), (3, 1), (2, 3)], 0, 1)
    2
    """
    # Each node but the ends has an entry (node, 0) and an exit (node, 1) with room for one path between them.
    room: dict[tuple[tuple[int, int], tuple[int, int]], int] = {}
    after: dict[tuple[int, int], set[tuple[int, int]]] = {}

    def join(first: tuple[int, int], second: tuple[int, int]) -> None:
        room[first, second] = 1
        room.setdefault((second, first), 0)
        after.setdefault(first, set()).add(second)
        after.setdefault(second, set()).add(first)

    for start, end in set(edges):
        if start == end or (start, end) == (source, target):
            continue
        join((start, 1), (end, 0))
        for node in (start, end):
            join((node, 0), (node, 1))
    count = 0
    while (way := _way(room, after, (source, 1), (target, 0))) is not None:
        for step in way:
            room[step] -= 1
            room[step[1], step[0]] += 1
        count += 1
    return count


def _way(
    room: dict[tuple[tuple[int, int], tuple[int, int]], int],
    after: dict[tuple[int, int], set[tuple[int, int]]],
    start: tuple[int, int],
    end: tuple[int, int],
) -> list[tuple[tuple[int, int], tuple[int, int]]] | None:
    """Steps with room from start to end, as few as can be."""
    before = {start: start}
    waiting = [start]
    for node in waiting:
        if node == end:
            way, at = [], end
            while at != start:
                way.append((before[at], at))
                at = before[at]
            return way
        for other in sorted(after.get(node, ())):
            if other not in before and room[node, other] > 0:
                before[other] = node
                waiting.append(other)
    return None
