"""Numbers of entities within their graph, by the order of their names."""

from __future__ import annotations

import numpy as np

from r5.baselines.inputs.relation_index import IntArray
from r5.examples import Examples

__all__ = ["number_entities"]


def number_entities(examples: Examples, count: int) -> IntArray:
    """Return the rank of each node of the pool among the sorted names of its graph, [nodes of the pool].

    Args:
        examples: The examples; nodes of graphs without an example get 0.
        count: Number of distinct ranks; all further nodes share the rank `count - 1`.

    >>> from r5.graph import Graph
    >>> family = Graph.from_triples([("Tom", "sister", "Ann"), ("Ann", "son", "Sam")])
    >>> number_entities(Examples.over(family, [0], [2], [-1]), 9)
    array([2, 0, 1])
    """
    names, offsets = examples.pool.entities, examples.node_offsets.tolist()
    ranks = np.zeros(len(names), dtype=np.int64)
    for graph in np.unique(examples.graph_of).tolist():
        nodes = sorted(range(offsets[graph], offsets[graph + 1]), key=names.__getitem__)
        ranks[nodes] = np.arange(len(nodes))
    return np.minimum(ranks, count - 1)
