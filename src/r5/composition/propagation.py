"""Propagation: the relations that all paths of a query leave possible together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray, as_int_array
from r5.composition.propagation_kernels import Adjacency, EdgeArrays, propagate_edges
from r5.composition.table import MIN_POSSIBILITY, CompositionTable
from r5.examples import Examples

__all__ = ["CONTRADICTION", "Propagation", "propagate"]

CONTRADICTION = 0.02
"""Paths contradict each other if their common possibility is below this."""


@dataclass(frozen=True, eq=False)
class Propagation:
    """Possibility of each relation as the answer to each query."""

    possible: FloatArray  # [queries, relations]; the most possible has 1, all have 1 where nothing is known
    lengths: NDArray[np.int32]  # [queries], of the paths; -1 where there is none
    agreement: FloatArray  # [queries], from 1 down to nearly 0 where paths contradict each other

    def shares(self) -> FloatArray:
        """Return the normalised possibilities, a uniform prior assumed; a row of zeros without a path."""
        reached = (self.lengths >= 0)[:, None]
        shares: FloatArray = self.possible * reached / self.possible.sum(axis=1, keepdims=True)
        return shares


def propagate(
    examples: Examples, names: tuple[str, ...], table: CompositionTable, free: NDArray[np.bool_] | None = None
) -> Propagation:
    """Propagate possibilities over the shortest paths of each query; an edge that is `free` may be anything."""
    pool = examples.pool
    place = {name: number for number, name in enumerate(names)}
    words = np.array([place.get(name, len(names)) for name in examples.vocabulary] or [0], dtype=np.int32)
    nothing = np.zeros(pool.number_of_edges, dtype=np.bool_)
    possible, lengths, agree = propagate_edges(
        Adjacency(pool.outgoing.offsets, pool.outgoing.edges),
        Adjacency(pool.incoming.offsets, pool.incoming.edges),
        EdgeArrays(
            sources=pool.sources,
            relations=as_int_array(words[pool.relations]),
            targets=pool.targets,
            facts=pool.facts,
            free=nothing if free is None else free,
        ),
        (examples.sources, examples.targets, examples.masked_facts),
        table.possible,
        MIN_POSSIBILITY,
    )
    return Propagation(possible, lengths, agree)
