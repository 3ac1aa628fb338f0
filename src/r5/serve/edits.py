"""What-if: a graph with some facts added and others removed. The graph itself, and its file, stay as they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from r5._util.arrays import IntArray
from r5.graph import Graph
from r5.relations import inverse_name
from r5.serve.fields import RequestError

__all__ = ["Edit", "as_tsv", "edited"]

Edit = tuple[str, str, str, str]
"""+ or -, and the fact: source, relation, target."""


def edited(graph: Graph, edits: Sequence[Sequence[str]]) -> Graph:
    """The graph after all edits, in their order; a fact that is removed must be there.

    Where a relation has an inverse in the graph's vocabulary, the inverse edge is added and removed with it.

    >>> family = Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")])
    >>> edited(family, [["-", "Eve", "brother", "Tom"], ["+", "Eve", "mother", "Ida"]]).triples()
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
        for source, relation, target in _both(vocabulary, fact[0], fact[1], fact[2]):
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


def _both(vocabulary: object, source: str, relation: str, target: str) -> list[tuple[str, str, str]]:
    """The fact, and its inverse where the graph has such edges."""
    other = inverse_name(relation)
    has_inverse = other in vocabulary  # type: ignore[operator]
    return [(source, relation, target), *([(target, other, source)] if has_inverse else [])]


def _edges(graph: Graph, source: str, relation: str, target: str) -> IntArray:
    """The edges that say so; none where a name is not known."""
    if source not in graph.nodes or target not in graph.nodes or relation not in graph.vocabulary:
        return np.zeros(0, dtype=np.int32)
    start = graph.nodes[source]
    leaving = graph.outgoing.edges[graph.outgoing.offsets[start] : graph.outgoing.offsets[start + 1]]
    same = (graph.targets[leaving] == graph.nodes[target]) & (graph.relations[leaving] == graph.vocabulary.id(relation))
    found: IntArray = leaving[same]
    return found


def as_tsv(graph: Graph) -> str:
    """The graph as a file that `r5` reads; names that hold a tab or a line end have a space in its place."""
    blank = str.maketrans("\t\r\n", "   ")
    rows = ("\t".join(name.translate(blank) for name in fact) for fact in graph.triples())
    return "".join(f"{row}\n" for row in rows)
