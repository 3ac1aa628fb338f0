"""Further questions to learn from: the edges of the training graphs themselves, each hidden when it is asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from r5._util.arrays import as_int_array
from r5._util.ragged import Ragged
from r5.examples import Examples

__all__ = ["with_edge_questions"]


def with_edge_questions(examples: Examples, most: int, seed: int) -> Examples:
    """The examples and, behind them, up to so many edges of their graphs, drawn where there are more."""
    used = np.zeros(examples.edge_offsets.size - 1, dtype=bool)
    used[examples.graph_of] = True
    owner = np.repeat(np.arange(used.size), np.diff(examples.edge_offsets))
    edges = np.flatnonzero(used[owner])
    if edges.size > most:
        edges = np.sort(np.random.default_rng(seed).choice(edges, most, replace=False))
    pool, nothing = examples.pool, Ragged.of([[]] * edges.size)

    def both(given: np.ndarray, further: np.ndarray) -> np.ndarray:
        return as_int_array(np.concatenate([given, further]))

    return replace(
        examples,
        graph_of=both(examples.graph_of, owner[edges]),
        sources=both(examples.sources, pool.sources[edges]),
        targets=both(examples.targets, pool.targets[edges]),
        answers=both(examples.answers, pool.relations[edges]),
        hidden_facts=both(examples.hidden_facts, pool.facts[edges]),
        resolutions=_behind(examples.resolutions, nothing),
        descriptors=_behind(examples.descriptors, nothing),
        _cache={},
    )


def _behind(first: Ragged, second: Ragged) -> Ragged:
    offsets = np.concatenate([first.offsets, second.offsets[1:] + first.offsets[-1]])
    return Ragged(as_int_array(np.concatenate([first.values, second.values])), offsets)
