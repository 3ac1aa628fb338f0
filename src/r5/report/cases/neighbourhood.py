"""The part of a graph around a path: small enough to be drawn, the nearest entities first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from r5.graph import Graph, Rows

__all__ = ["edges_among", "nodes_around"]


def nodes_around(graph: Graph, walk: Sequence[int], masked_fact: int = -1, most: int = 16) -> list[int]:
    """Entities that are not on the path, those joined to it first, then those joined to these, up to `most`.

    Of equally near ones those with more edges to what was chosen before come first, then those with lower numbers.
    """
    chosen = list(dict.fromkeys(walk))
    start = len(chosen)
    ring = chosen
    while ring and len(chosen) - start < most:
        links: Counter[int] = Counter()
        for node in ring:
            links.update(_neighbours(graph, node, masked_fact))
        for node in chosen:
            links.pop(node, None)
        ring = sorted(links, key=lambda node: (-links[node], node))[: most - len(chosen) + start]
        chosen += ring
    return chosen[start:]


def _neighbours(graph: Graph, node: int, masked_fact: int) -> list[int]:
    """The entities at the other ends of a node's edges, once for each edge."""
    ends = []
    for rows, others in ((graph.outgoing, graph.targets), (graph.incoming, graph.sources)):
        edges = _edges(rows, node)
        ends.append(others[edges[graph.facts[edges] != masked_fact]])
    return [int(other) for other in np.concatenate(ends)]


def edges_among(graph: Graph, nodes: Sequence[int], masked_fact: int = -1, most: int = 80) -> list[int]:
    """The edges that join these nodes, each fact once, in the graph's order and up to `most`; loops are left out."""
    edges = np.sort(np.concatenate([_edges(graph.outgoing, node) for node in dict.fromkeys(nodes)]))
    kept = np.isin(graph.targets[edges], list(nodes)) & (graph.facts[edges] != masked_fact)
    edges = edges[kept & (graph.sources[edges] != graph.targets[edges])]
    _, first = np.unique(graph.facts[edges], return_index=True)
    return [int(edge) for edge in edges[np.sort(first)][:most]]


def _edges(rows: Rows, node: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return rows.edges[rows.offsets[node] : rows.offsets[node + 1]]
