"""Conversion from and to networkx graphs (the `networkx` extra)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from r5._util.arrays import as_int_array
from r5._util.text import abbreviate
from r5.errors import R5Error, need
from r5.graph import Graph
from r5.relations import Vocabulary

if TYPE_CHECKING:
    import networkx

__all__ = ["from_networkx", "read_network", "to_networkx"]


def to_networkx(graph: Graph) -> networkx.MultiDiGraph[str]:
    """Convert a graph to a networkx MultiDiGraph; nodes are entity names, edges have the attribute `relation`.

    Raises:
        R5Error: Two entities have the same name.
        MissingExtraError: networkx is not installed.

    >>> network = to_networkx(Graph.from_triples([("Ann", "mother", "Eve")]))
    >>> list(network.edges(data="relation"))
    [('Ann', 'Eve', 'mother')]

    """
    try:
        import networkx
    except ImportError:
        raise need("networkx", "networkx") from None
    if len(set(graph.entities)) != graph.number_of_nodes:
        raise R5Error("two entities have the same name and would become one node")
    network: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    network.add_nodes_from(graph.entities)
    network.add_edges_from((source, target, {"relation": relation}) for source, relation, target in graph.triples())
    return network


def from_networkx(network: Any, relation: str = "relation", inverse: bool = False) -> Graph:
    """Convert a networkx graph.

    Args:
        network: Any networkx graph. An undirected edge becomes two edges of one fact. The name of a node is its `str`.
        relation: Edge attribute that holds the relation.
        inverse: Add inverse edges.

    Raises:
        R5Error: An edge has no relation, or two nodes have the same name.

    >>> import networkx
    >>> from_networkx(networkx.DiGraph([("Ann", "Eve", {"kind": "mother"})]), relation="kind").triples()
    [('Ann', 'mother', 'Eve')]

    """
    graph = read_network(network, relation)[0]
    return graph.with_inverses() if inverse else graph


def read_network(network: Any, relation: str = "relation") -> tuple[Graph, str]:
    """Convert a networkx graph; see `from_networkx`.

    Args:
        network: Any networkx graph.
        relation: Edge attribute that holds the relation. In a multigraph whose edges lack it, the keys of the edges
            are the relations, if they are text.

    Returns:
        The graph, and a description of how it was read.
    """
    nodes = {node: number for number, node in enumerate(network.nodes)}
    entities = _names(list(nodes))
    rows = (
        list(network.edges(keys=True, data=True))
        if network.is_multigraph()
        else [(source, target, None, data) for source, target, data in network.edges(data=True)]
    )
    by_key = bool(rows) and all(isinstance(key, str) and relation not in data for _, _, key, data in rows)
    edges = [
        (nodes[source], str(key) if by_key else _relation(source, target, data, relation), nodes[target])
        for source, target, key, data in rows
    ]
    words = Vocabulary.of(name for _, name, _ in edges)
    sources, targets = (np.array([edge[end] for edge in edges], dtype=np.int32) for end in (0, 2))
    kinds = np.array([words.id(name) for _, name, _ in edges], dtype=np.int32)
    if not network.is_directed():
        sources, targets = np.minimum(sources, targets), np.maximum(sources, targets)
    graph = Graph.from_arrays(words, entities, sources, kinds, targets)
    graph = graph if network.is_directed() else _both_ways(graph)
    others = dict.fromkeys(str(name) for *_, data in rows for name in data if by_key or name != relation)
    dropped = f"; dropped: edge attribute{'s' * (len(others) > 1)} {', '.join(others)}" if others else ""
    place = "edge key" if by_key else f"edge attribute {relation}"
    both = "" if network.is_directed() else ", undirected: an edge each way"
    return graph, f"graph: {len(edges):,} triple{'s' * (len(edges) != 1)} (networkx, relation={place}{both}{dropped})"


def _names(nodes: list[object]) -> list[str]:
    """Return the names of the nodes, which must be distinct."""
    owners: dict[str, object] = {}
    for node in nodes:
        name = str(node)
        if not name:
            raise R5Error("a node has an empty name")
        if name in owners:
            raise R5Error(f"the nodes {abbreviate(owners[name])} and {abbreviate(node)} would have the same name")
        owners[name] = node
    return list(owners)


def _relation(source: object, target: object, attributes: dict[str, object], key: str) -> str:
    """Return the relation of one edge."""
    value = attributes.get(key)
    if value is None or not str(value):
        there = f"; it has {', '.join(map(str, attributes))}" if attributes else ""
        raise R5Error(f"the edge from {abbreviate(source)} to {abbreviate(target)} has no attribute {key!r}{there}")
    return str(value)


def _both_ways(graph: Graph) -> Graph:
    """Add the reverse of each edge, of the same fact, except for loops."""
    proper = graph.sources != graph.targets
    return Graph(
        graph.vocabulary,
        graph.entities,
        as_int_array(np.concatenate([graph.sources, graph.targets[proper]])),
        as_int_array(np.concatenate([graph.relations, graph.relations[proper]])),
        as_int_array(np.concatenate([graph.targets, graph.sources[proper]])),
        as_int_array(np.concatenate([graph.facts, graph.facts[proper]])),
    )
