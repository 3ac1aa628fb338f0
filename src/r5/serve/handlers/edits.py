"""Edited copies of a graph: facts added and removed. The graph itself does not change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from r5._util.arrays import IntArray
from r5.graph import Graph
from r5.relations import inverse_name
from r5.serve.errors import RequestError

__all__ = ["Edit", "apply_edits", "format_tsv"]

Edit = tuple[str, str, str, str]
"""+ or - and a fact: source, relation, target."""


def apply_edits(graph: Graph, edits: Sequence[Sequence[str]]) -> Graph:
    """Return a copy of a graph with edits applied in order.

    If a relation has an inverse in the vocabulary of the graph, the inverse edge is added and removed with it.

    Raises:
        RequestError: A removed fact does not exist.

    >>> family = Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")])
    >>> apply_edits(family, [["-", "Eve", "brother", "Tom"], ["+", "Eve", "mother", "Ida"]]).triples()
    [('Ann', 'mother', 'Eve'), ('Eve', 'mother', 'Ida')]
    """
    if not edits:
        return graph
    vocabulary = graph.vocabulary.with_known(*(relation for sign, _, relation, _ in edits if sign == "+"))
    numbers = np.array([*graph.vocabulary.ids_in(vocabulary), -1], dtype=np.int32)
    nodes = dict(graph.nodes)
    entities = list(graph.entities)
    kept = np.ones(graph.number_of_edges, dtype=bool)
    added: dict[tuple[str, str, str], None] = {}
    for sign, *fact in edits:
        for source, relation, target in _with_inverse(vocabulary, fact[0], fact[1], fact[2]):
            if sign == "+":
                for name in (source, target):
                    if name not in nodes:
                        nodes[name] = len(entities)
                        entities.append(name)
                added[source, relation, target] = None
            elif (source, relation, target) in added:
                del added[source, relation, target]
            else:
                at = _edges(graph, source, relation, target)
                if not at.size and relation == fact[1]:
                    raise RequestError(f"there is no fact {source} -{relation}-> {target} to remove")
                kept[at] = False
    new = [(nodes[s], vocabulary.id(r), nodes[t]) for s, r, t in added]
    more = np.array(new, dtype=np.int32).reshape(-1, 3)
    return Graph.from_arrays(
        vocabulary,
        entities,
        np.concatenate([graph.sources[kept], more[:, 0]]),
        np.concatenate([numbers[graph.relations[kept]], more[:, 1]]),
        np.concatenate([graph.targets[kept], more[:, 2]]),
    )


def _with_inverse(vocabulary: object, source: str, relation: str, target: str) -> list[tuple[str, str, str]]:
    """Return a fact, and its inverse if the vocabulary has the inverse relation."""
    other = inverse_name(relation)
    has_inverse = other in vocabulary  # type: ignore[operator]
    return [(source, relation, target), *([(target, other, source)] if has_inverse else [])]


def _edges(graph: Graph, source: str, relation: str, target: str) -> IntArray:
    """Return the edges of a fact; none if a name is unknown."""
    if source not in graph.nodes or target not in graph.nodes or relation not in graph.vocabulary:
        return np.zeros(0, dtype=np.int32)
    start = graph.nodes[source]
    leaving = graph.outgoing.edges[graph.outgoing.offsets[start] : graph.outgoing.offsets[start + 1]]
    same = (graph.targets[leaving] == graph.nodes[target]) & (graph.relations[leaving] == graph.vocabulary.id(relation))
    found: IntArray = leaving[same]
    return found


def format_tsv(graph: Graph) -> str:
    """Format a graph as TSV triples; tabs and line ends in names become spaces."""
    blank = str.maketrans("\t\r\n", "   ")
    rows = ("\t".join(name.translate(blank) for name in fact) for fact in graph.triples())
    return "".join(f"{row}\n" for row in rows)
