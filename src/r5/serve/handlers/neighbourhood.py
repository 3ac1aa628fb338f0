"""Handler of the graph view: the facts to draw, a sample of the neighbours of hubs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5.graph import Graph
from r5.relations import INVERSE_SUFFIX, inverse_name
from r5.serve.handlers.session import Session

__all__ = ["edges_of", "find_neighbourhood", "other_ends"]

_PER_OPENING = 12
"""Neighbours that each opening of an entity adds."""
_OWN = 3
"""Neighbours of each centre that are drawn first."""
_MAX_EDGES = 600
"""Maximum number of facts of the centre drawn beside those asked for, if no entity is opened."""
_EDGES_PER_OPENING = 60
"""Facts drawn more for each opening of an entity."""
_MAX_FAR_EDGES = 60
"""Facts among other entities are drawn as long as there are at most this number of lines."""


def find_neighbourhood(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Return the entities and facts around some entities.

    The facts asked for come first, always. Each opened entity adds its own neighbours, whatever else is drawn, so that
    opening one more removes none.
    """
    graph = session.graph(given["graph"], given["edits"])
    facts = [edge for fact in given["facts"] for edge in _edges_of_fact(graph, *fact)]
    centres = _centres(graph, given["nodes"], facts) or list(range(min(1, graph.number_of_nodes)))
    opened = Counter(graph.node(name) for name in given["open"])
    nodes = dict.fromkeys([*centres, *opened])
    nodes |= dict.fromkeys(_around(graph, centres, nodes, given["most"]))
    for node, times in opened.items():
        nodes |= dict.fromkeys(_most_linked(_neighbours(graph, node), _PER_OPENING * times))
    most = _MAX_EDGES + _EDGES_PER_OPENING * opened.total()
    drawn, total = _edges_among(graph, nodes, facts, {*centres, *opened}, most)
    is_drawn = np.zeros(graph.number_of_nodes, dtype=bool)
    is_drawn[[*nodes]] = True
    added = {tuple(fact) for sign, *fact in given["edits"] if sign == "+"}
    return {
        "nodes": [_describe(graph, node, is_drawn, node in centres, opened[node]) for node in nodes],
        "edges": [{"fact": fact, "added": tuple(fact) in added} for fact in (_fact(graph, edge) for edge in drawn)],
        "left_out": total - len(drawn),
        "graph": {"entities": graph.number_of_nodes, "edges": graph.number_of_edges},
    }


def _centres(graph: Graph, names: Sequence[str], facts: Sequence[int]) -> list[int]:
    ends = [int(node) for edge in facts for node in (graph.sources[edge], graph.targets[edge])]
    return list(dict.fromkeys([*(graph.node(name) for name in names), *ends]))


def edges_of(graph: Graph, node: int) -> NDArray[np.int64]:
    """Return one edge of each fact of an entity; of a fact and its inverse edge, the one that leaves the entity."""
    rows = (graph.outgoing, graph.incoming)
    edges = np.concatenate([one.edges[one.offsets[node] : one.offsets[node + 1]] for one in rows])
    _, first = np.unique(graph.facts[edges], return_index=True)
    return edges[np.sort(first)].astype(np.int64)


def other_ends(graph: Graph, node: int, edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the entity at the other end of each edge of an entity."""
    return np.where(graph.sources[edges] == node, graph.targets[edges], graph.sources[edges]).astype(np.int64)


def _neighbours(graph: Graph, node: int) -> dict[int, int]:
    """Return the neighbours of an entity with the number of facts that join them."""
    ends, counts = np.unique(other_ends(graph, node, edges_of(graph, node)), return_counts=True)
    return {end: count for end, count in zip(ends.tolist(), counts.tolist(), strict=True) if end != node}


def _around(graph: Graph, centres: Sequence[int], drawn: Iterable[int], most: int) -> list[int]:
    """Return entities around the centres, nearer ones first and, of equally near ones, those with more links.

    Each centre has a few neighbours of its own, whatever the links of the others are.
    """
    seen = {*drawn}
    found: list[int] = []

    def take(ring: Iterable[int], count: int) -> list[int]:
        links: Counter[int] = Counter()
        for node in ring:
            links.update({other: count for other, count in _neighbours(graph, node).items() if other not in seen})
        taken = _most_linked(links, min(count, most - len(found)))
        found.extend(taken)
        seen.update(taken)
        return taken

    for centre in centres:
        take([centre], _OWN)
    ring = [*take(centres, most), *found]
    while ring and len(found) < most:
        ring = take(ring, most)
    return found


def _most_linked(links: dict[int, int], count: int) -> list[int]:
    return sorted(links, key=lambda node: (-links[node], node))[:count]


def _describe(graph: Graph, node: int, is_drawn: NDArray[np.bool_], is_centre: bool, opened: int) -> dict[str, Any]:
    edges = edges_of(graph, node)
    ends = np.unique(other_ends(graph, node, edges))
    hidden = int(np.sum(~is_drawn[ends]))
    return {
        "name": graph.entities[node],
        "edges": int(edges.size),
        "centre": is_centre,
        "opened": opened,
        "hidden": hidden,
    }


def _edges_among(
    graph: Graph, nodes: Iterable[int], first: Sequence[int], centres: Iterable[int], most: int
) -> tuple[list[int], int]:
    """Return the facts among entities and their number: `first`, then those of the centres, then others, limited.

    Of the facts of the centres, one between each two entities comes first, so that no entity is drawn without a line.
    """
    own = [*nodes]
    if not own:
        return [], 0
    edges = np.concatenate([edges_of(graph, node) for node in own])
    _, places = np.unique(graph.facts[edges], return_index=True)
    edges = edges[np.sort(places)]
    edges = edges[np.isin(graph.sources[edges], own) & np.isin(graph.targets[edges], own)]
    edges = edges[~np.isin(graph.facts[edges], graph.facts[[*first]])]
    near = np.isin(graph.sources[edges], [*centres]) | np.isin(graph.targets[edges], [*centres])
    ordered = [*_one_a_pair_first(graph, np.sort(edges[near])).tolist(), *np.sort(edges[~near]).tolist()]
    shown = ordered[: max(min(int(near.sum()), most), _MAX_FAR_EDGES)]
    asked = {int(graph.facts[edge]): edge for edge in reversed(first)}
    return [*reversed(asked.values()), *shown], len(asked) + len(ordered)


def _one_a_pair_first(graph: Graph, edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return edges in order, those that are the first between two entities before the others."""
    ends = np.stack([graph.sources[edges], graph.targets[edges]])
    _, first = np.unique(np.sort(ends, axis=0), axis=1, return_index=True)
    is_first = np.zeros(edges.size, dtype=bool)
    is_first[first] = True
    return np.concatenate([edges[is_first], edges[~is_first]])


def _edges_of_fact(graph: Graph, source: str, relation: str, target: str) -> list[int]:
    """Return the edge of a fact by name, in either direction; none if the graph lacks it."""
    other = inverse_name(relation)
    for head, name, tail in ((source, relation, target), (target, other, source)):
        if head in graph.nodes and tail in graph.nodes and name in graph.vocabulary:
            start, end = graph.nodes[head], graph.nodes[tail]
            leaving = graph.outgoing.edges[graph.outgoing.offsets[start] : graph.outgoing.offsets[start + 1]]
            same = (graph.targets[leaving] == end) & (graph.relations[leaving] == graph.vocabulary.id(name))
            if same.any():
                return [int(leaving[same][0])]
    return []


def _fact(graph: Graph, edge: int) -> list[str]:
    """Return a fact by name, in its stored direction."""
    relation = graph.vocabulary.name(int(graph.relations[edge]))
    source, target = graph.entities[graph.sources[edge]], graph.entities[graph.targets[edge]]
    if relation.endswith(INVERSE_SUFFIX) and inverse_name(relation) in graph.vocabulary:
        return [target, inverse_name(relation), source]
    return [source, relation, target]
