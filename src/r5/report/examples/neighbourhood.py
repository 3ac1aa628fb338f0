"""Neighbourhood of a path in a graph, limited in size; the nearest entities come first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from r5.graph import Graph, Rows

__all__ = ["edges_among", "nodes_around"]


def nodes_around(graph: Graph, walk: Sequence[int], masked_fact: int = -1, limit: int = 16) -> list[int]:
    """Return entities near a path, by distance.

    Among equally near ones, those with more edges to the nearer entities come first, then those with lower ids.

    Args:
        graph: The graph.
        walk: Entities of the path.
        masked_fact: A fact that is ignored; -1 for none.
        limit: Maximum number of entities.
    """
    chosen = list(dict.fromkeys(walk))
    start = len(chosen)
    ring = chosen
    while ring and len(chosen) - start < limit:
        links: Counter[int] = Counter()
        for node in ring:
            links.update(_neighbours(graph, node, masked_fact))
        for node in chosen:
            links.pop(node, None)
        ring = sorted(links, key=lambda node: (-links[node], node))[: limit - len(chosen) + start]
        chosen += ring
    return chosen[start:]


def _neighbours(graph: Graph, node: int, masked_fact: int) -> list[int]:
    """Return the entities at the other ends of a node's edges, once per edge."""
    ends = []
    for rows, others in ((graph.outgoing, graph.targets), (graph.incoming, graph.sources)):
        edges = _edges(rows, node)
        ends.append(others[edges[graph.facts[edges] != masked_fact]])
    return [int(other) for other in np.concatenate(ends)]


def edges_among(graph: Graph, nodes: Sequence[int], masked_fact: int = -1, limit: int = 80) -> list[int]:
    """Return the edges among these nodes without loops, each fact once, in the order of the graph and up to `limit`."""
    edges = np.sort(np.concatenate([_edges(graph.outgoing, node) for node in dict.fromkeys(nodes)]))
    kept = np.isin(graph.targets[edges], list(nodes)) & (graph.facts[edges] != masked_fact)
    edges = edges[kept & (graph.sources[edges] != graph.targets[edges])]
    _, first = np.unique(graph.facts[edges], return_index=True)
    return [int(edge) for edge in edges[np.sort(first)][:limit]]


def _edges(rows: Rows, node: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return rows.edges[rows.offsets[node] : rows.offsets[node + 1]]
