"""Inverse edges, so that rules may follow a relation backwards, as `r^-1`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from r5._util.arrays import as_int_array
from r5.examples import Examples
from r5.graph import Graph

__all__ = ["add_inverse_edges"]


def add_inverse_edges(examples: Examples) -> Examples:
    """Return the examples over graphs in which each edge has an inverse edge; the two are one fact.

    >>> family = Graph.from_triples([("Ann", "mother", "Bob")])
    >>> add_inverse_edges(Examples.over(family, [0], [1], [-1]))[0].graph.triples()
    [('Ann', 'mother', 'Bob'), ('Bob', 'mother^-1', 'Ann')]
    """
    pool = examples.pool.with_inverses()
    graphs = examples.node_offsets.size - 1
    owner = np.repeat(np.arange(graphs), np.diff(examples.node_offsets))[pool.sources]
    order = np.argsort(owner, kind="stable")
    columns = (as_int_array(column[order]) for column in (pool.sources, pool.relations, pool.targets, pool.facts))
    return replace(
        examples,
        pool=Graph(pool.vocabulary, pool.entities, *columns),
        edge_offsets=np.searchsorted(owner[order], np.arange(graphs + 1)),
        _cache={},
    )
