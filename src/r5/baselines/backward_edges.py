"""Edges that can be walked backwards: for each edge another one the other way, of a relation of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from r5._util.arrays import frozen
from r5.examples import Examples
from r5.graph import Graph

__all__ = ["with_backward_edges"]


def with_backward_edges(examples: Examples) -> Examples:
    """The examples over graphs with inverse edges; where a fact is hidden, so is its inverse.

    >>> family = Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")])
    >>> with_backward_edges(Examples.over(family, [0], [2], [-1])).pool.triples()[2:]
    [('Eve', 'mother^-1', 'Ann'), ('Tom', 'brother^-1', 'Eve')]
    """
    pool = examples.pool.with_inverses()
    # The edges of a graph stand together.
    graph = np.searchsorted(examples.node_offsets, pool.sources, side="right") - 1
    order = np.argsort(graph, kind="stable")
    counts = np.bincount(graph, minlength=examples.node_offsets.size - 1)
    columns = (frozen(column[order]) for column in (pool.sources, pool.relations, pool.targets, pool.facts))
    together = Graph(pool.vocabulary, pool.entities, *columns)
    return replace(examples, pool=together, edge_offsets=np.concatenate([[0], np.cumsum(counts)]), _cache={})
