"""Facts of a path by name, and the reason for a missing path."""

from __future__ import annotations

import numpy as np

from r5.derivations.derivation import Fact
from r5.errors import R5Error
from r5.examples import Example, Examples
from r5.paths.search import PathSet
from r5.paths.settings import Direct

__all__ = ["explain_no_path", "path_facts"]


def path_facts(examples: Examples, found: PathSet, index: int, row: int) -> list[Fact]:
    """Return the facts along a path; the dummy relation leads from the last entity to itself.

    Args:
        examples: The queries.
        found: Their paths, with nodes.
        index: Index of the query.
        row: Row of the path in `found`.

    Raises:
        R5Error: The nodes of the paths were not kept.
    """
    if found.nodes is None:
        raise R5Error("the nodes of the paths were not kept; request them with nodes=True")
    offset = int(examples.node_offsets[examples.graph_of[index]])
    entities = [examples.pool.entities[offset + node] for node in found.nodes[row].tolist()]
    relations = found.vocabulary.names(found.sequences[row])
    entities += [entities[-1]] * (len(relations) + 1 - len(entities))
    return [Fact(*fact) for fact in zip(entities, relations, entities[1:], strict=False)]


def explain_no_path(example: Example, direct: Direct = "skip", complete: bool = True) -> str:
    """Return the reason for which a query has no path.

    Args:
        example: A query without paths.
        direct: Treatment of direct edges in the search.
        complete: The search was exhaustive.

    >>> from r5.examples import Query
    >>> from r5.graph import Graph
    >>> family = Graph.from_triples([("Ann", "mother", "Eve"), ("Tom", "brother", "Ann")])
    >>> explain_no_path(Example(family, Query(1, 2)))
    'no path leads from Eve to Tom'
    >>> explain_no_path(Example(family, Query(0, 1)))
    'only a single edge leads from Ann to Eve, and such paths are not read (direct=skip)'

    """
    ends = f"from {example.source} to {example.target}"
    if not complete:
        return f"no path {ends} was found before the search was given up"
    graph, query = example.graph, example.query
    leaving = graph.outgoing.edges[graph.outgoing.offsets[query.source] : graph.outgoing.offsets[query.source + 1]]
    direct_edges = (graph.targets[leaving] == query.target) & (graph.facts[leaving] != example.masked_fact)
    if direct == "skip" and np.any(direct_edges):
        return f"only a single edge leads {ends}, and such paths are not read (direct=skip)"
    return f"no path leads {ends}"
