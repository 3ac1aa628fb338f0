"""Branches: the number of node-disjoint paths from a query's source to its target."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from r5.examples import Example, Examples

__all__ = ["branches_between", "count_branches"]

Port = tuple[int, int]
"""A node with its entry (0) or exit (1)."""
Arc = tuple[Port, Port]

_MAX_EDGES = 2_000
"""Maximum number of edges of a graph whose branches are counted."""


def count_branches(examples: Examples) -> NDArray[np.int64]:
    """Return the number of branches of each example, 0 (unknown) for large graphs, [examples]."""
    small = np.diff(examples.edge_offsets)[examples.graph_of] <= _MAX_EDGES
    counts = [_branches(example) if few else 0 for example, few in zip(examples, small, strict=True)]
    return np.array(counts, dtype=np.int64)


def _branches(example: Example) -> int:
    """Return the number of branches of one example, without its masked fact."""
    graph = example.graph
    edges = zip(graph.sources.tolist(), graph.targets.tolist(), graph.facts.tolist(), strict=True)
    kept = [(source, target) for source, target, fact in edges if fact != example.masked_fact]
    return branches_between(kept, example.query.source, example.query.target)


def branches_between(edges: Iterable[tuple[int, int]], source: int, target: int) -> int:
    """Return the maximum number of internally node-disjoint paths (Menger's theorem), without direct edges.

    Args:
        edges: Pairs of source and target nodes.
        source: First node of the paths.
        target: Last node of the paths.

    >>> branches_between([(0, 2), (2, 1), (0, 3), (3, 1), (2, 3)], 0, 1)
    2

    """
    # Maximum flow: each inner node has an entry (node, 0) and an exit (node, 1), joined by an arc of capacity 1.
    capacity: dict[Arc, int] = {}
    neighbours: dict[Port, set[Port]] = {}

    def join(first: Port, second: Port) -> None:
        capacity[first, second] = 1
        capacity.setdefault((second, first), 0)
        neighbours.setdefault(first, set()).add(second)
        neighbours.setdefault(second, set()).add(first)

    for start, end in set(edges):
        if start == end or (start, end) == (source, target):
            continue
        join((start, 1), (end, 0))
        for node in (start, end):
            join((node, 0), (node, 1))
    count = 0
    while (path := _augmenting_path(capacity, neighbours, (source, 1), (target, 0))) is not None:
        for arc in path:
            capacity[arc] -= 1
            capacity[arc[1], arc[0]] += 1
        count += 1
    return count


def _augmenting_path(
    capacity: dict[Arc, int], neighbours: dict[Port, set[Port]], start: Port, end: Port
) -> list[Arc] | None:
    """Return the arcs of a shortest path with free capacity; None if there is none."""
    previous = {start: start}
    queue = [start]
    for port in queue:
        if port == end:
            path, at = [], end
            while at != start:
                path.append((previous[at], at))
                at = previous[at]
            return path
        for other in sorted(neighbours.get(port, ())):
            if other not in previous and capacity[port, other] > 0:
                previous[other] = port
                queue.append(other)
    return None
