"""View of the part of a graph around a path, as JSON for the script of the page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from r5.derivations.derivation import Fact
from r5.examples import Example
from r5.graph import Graph
from r5.report.examples.layout import place_beside
from r5.report.examples.neighbourhood import edges_among, nodes_around
from r5.report.page_data import NameIndex

__all__ = ["graph_view"]


def graph_view(example: Example, path: Sequence[Fact], names: NameIndex) -> dict[str, Any]:
    """Return the part of the graph around a path.

    Args:
        example: The example.
        path: The path; if empty, the true path of the data, or else the two entities of the query.
        names: Index of relation names; new names are added.
    """
    graph = example.graph
    if path:
        walk = [graph.node(name) for name in (path[0].source, *(fact.target for fact in path))]
        observed: list[str | None] = [fact.relation for fact in path]
    else:
        true_path = list(example.resolution)
        walk = true_path if len(true_path) > 1 else [example.query.source, example.query.target]
        observed = [_relation_between(graph, *ends) for ends in pairwise(walk)]
    others = nodes_around(graph, walk, example.masked_fact)
    drawn = {*zip(walk, observed, walk[1:], strict=False)}
    edges = [
        (int(graph.sources[edge]), graph.vocabulary.name(int(graph.relations[edge])), int(graph.targets[edge]))
        for edge in edges_among(graph, [*walk, *others], example.masked_fact)
    ]
    edges = [edge for edge in edges if edge not in drawn]
    places = place_beside(walk, others, [(source, target) for source, _, target in edges])
    local = {node: number for number, node in enumerate(dict.fromkeys([*walk, *others]))}
    return {
        "entities": [graph.entities[node] for node in local],
        "walk": [local[node] for node in walk],
        "observed": [names.number(name) for name in observed],
        "places": [places[node] for node in others],
        "edges": [[local[source], names.number(name), local[target]] for source, name, target in edges],
    }


def _relation_between(graph: Graph, source: int, target: int) -> str | None:
    """Return the relation of the first edge from source to target."""
    rows = graph.outgoing
    edges = rows.edges[rows.offsets[source] : rows.offsets[source + 1]]
    found = [int(edge) for edge in edges if graph.targets[edge] == target]
    return graph.vocabulary.name(int(graph.relations[found[0]])) if found else None
