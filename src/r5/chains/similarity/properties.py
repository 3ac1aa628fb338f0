"""Properties of entities: the weighted number of those that two entities share is their kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import exp, log
from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.similarity.property_kernels import PropertyTable

__all__ = ["find_properties"]

_EXPONENT = 0.4
"""The weight of a property is its number of entities to the power of minus this."""
_MAX_ENTITIES = 20_000
"""A more common property says little, and costs the most."""


def find_properties(graph: StepGraph, max_entities: int = _MAX_ENTITIES) -> PropertyTable:
    """Return the properties of the entities of a graph.

    Args:
        graph: The graph.
        max_entities: Maximum number of entities of a property; more common ones are left out.
    """
    nodes, steps = graph.number_of_nodes, graph.steps
    row = np.repeat(np.arange(steps.row_nodes.size), np.diff(steps.row_offsets))
    owners = steps.row_nodes[row].astype(np.int64)
    edge_keys = steps.row_steps[row].astype(np.int64) * nodes + steps.targets
    is_first = np.ones(row.size, dtype=bool)  # a symmetric fact that the graph holds both ways has two edges
    is_first[1:] = (row[1:] != row[:-1]) | (edge_keys[1:] != edge_keys[:-1])
    owners, edge_keys = owners[is_first], edge_keys[is_first]
    keys, numbers, counts = np.unique(edge_keys, return_inverse=True, return_counts=True)
    own = np.bincount(owners[counts[numbers] == 1], minlength=nodes).astype(np.float32)
    shared = (counts > 1) & (counts <= max_entities)
    place = np.cumsum(shared) - 1
    kept = shared[numbers]
    owners, properties = owners[kept], place[numbers[kept]]
    weights = exp(-_EXPONENT * log(counts[shared].astype(np.float64))).astype(np.float32)
    totals = own + np.bincount(owners, weights[properties], nodes).astype(np.float32)
    order = np.argsort(properties, kind="stable")
    return PropertyTable(
        keys=keys[shared],
        weights=weights,
        offsets=_offsets(owners, nodes),
        properties=properties.astype(np.uint32),
        entity_offsets=_offsets(properties, weights.size),
        entities=owners[order].astype(np.uint32),
        own=own,
        totals=totals,
    )


def _offsets(values: NDArray[Any], size: int) -> IdArray:
    """Return the offsets of the rows 0 to `size - 1` of a table with this row at each entry, [size + 1]."""
    return np.append(0, np.cumsum(np.bincount(values, minlength=size))).astype(np.int64)
