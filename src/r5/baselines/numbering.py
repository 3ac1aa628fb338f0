"""The entities of a graph as numbers, in the order of their names: all that is left of a name."""

from __future__ import annotations

import numpy as np

from r5.baselines.inputs import IntColumn
from r5.examples import Examples

__all__ = ["numbered"]


def numbered(examples: Examples, most: int) -> IntColumn:
    """For each node of the pool its place among the sorted names of its graph; `most - 1` for all further ones.

    >>> from r5.graph import Graph
    >>> family = Graph.from_triples([("Tom", "sister", "Ann"), ("Ann", "son", "Sam")])
    >>> numbered(Examples.over(family, [0], [2], [-1]), 9)
    array([2, 0, 1])
    """
    names, offsets = examples.pool.entities, examples.node_offsets.tolist()
    places = np.zeros(len(names), dtype=np.int64)
    for graph in np.unique(examples.graph_of).tolist():
        nodes = sorted(range(offsets[graph], offsets[graph + 1]), key=names.__getitem__)
        places[nodes] = np.arange(len(nodes))
    return np.minimum(places, most - 1)
