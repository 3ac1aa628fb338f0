"""Edges of the training graphs as further training queries, each masked from its own query."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from r5._util.arrays import as_int_array
from r5._util.ragged import Ragged
from r5.examples import Examples

__all__ = ["add_edge_queries"]


def add_edge_queries(examples: Examples, count: int, seed: int) -> Examples:
    """Return the examples, followed by queries for the edges of their graphs.

    Args:
        examples: The training examples.
        count: Maximum number of edge queries; where there are more edges, a sample is drawn.
        seed: Seed of the sample.

    """
    used = np.zeros(examples.edge_offsets.size - 1, dtype=bool)
    used[examples.graph_of] = True
    owner = np.repeat(np.arange(used.size), np.diff(examples.edge_offsets))
    edges = np.flatnonzero(used[owner])
    if edges.size > count:
        edges = np.sort(np.random.default_rng(seed).choice(edges, count, replace=False))
    pool, empty = examples.pool, Ragged.of([[]] * edges.size)

    def joined(given: np.ndarray, further: np.ndarray) -> np.ndarray:
        return as_int_array(np.concatenate([given, further]))

    return replace(
        examples,
        graph_of=joined(examples.graph_of, owner[edges]),
        sources=joined(examples.sources, pool.sources[edges]),
        targets=joined(examples.targets, pool.targets[edges]),
        answers=joined(examples.answers, pool.relations[edges]),
        masked_facts=joined(examples.masked_facts, pool.facts[edges]),
        resolutions=_concatenate(examples.resolutions, empty),
        descriptors=_concatenate(examples.descriptors, empty),
        _cache={},
    )


def _concatenate(first: Ragged, second: Ragged) -> Ragged:
    offsets = np.concatenate([first.offsets, second.offsets[1:] + first.offsets[-1]])
    return Ragged(as_int_array(np.concatenate([first.values, second.values])), offsets)
