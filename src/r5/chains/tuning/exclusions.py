"""Rivals: relations that hold between entities of the same kinds, but never between the same two.

What the rules of one say for a pair speaks against the others: who is likely the aunt of somebody is likely not the
mother. How strongly is measured by facts that were not learned from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import log
from r5.chains.graph.step_graph import IdArray, StepGraph, distinct
from r5.chains.tuning.exclusion_kernels import count_together

__all__ = ["Exclusions", "find_exclusions"]

FloatArray = NDArray[np.float64]

_SHARED = 0.05
"""Rivals share so much of the entities of a relation, on either side."""
_MOST = 32
"""A relation has so many rivals, at the most: those that share most."""
_RELATIONS, _ENTITIES = 2_000, 100_000
"""Of more relations, none is taken to be a rival: the table of all pairs would be too large. Nor are any on a graph
with more entities: a question takes as long as one about each rival."""


@dataclass(frozen=True, eq=False)
class Exclusions:
    """Which relations are rivals of which, and by how much a score gives way to those of its rivals."""

    strength: float = 0.0
    pairs: IdArray = field(default_factory=lambda: np.zeros((0, 2), np.int64))  # [pairs, 2]: a relation, its rival
    log_odds: FloatArray = field(
        default_factory=lambda: np.zeros(0)
    )  # the rival's facts for one of the relation, a log

    def of(self, relation: int) -> tuple[IdArray, FloatArray]:
        """The rivals of a relation, and the logarithms of how many more facts each has."""
        first, last = np.searchsorted(self._first, [relation, relation + 1])
        return self.pairs[first:last, 1], self.log_odds[first:last]

    @cached_property
    def _first(self) -> IdArray:
        return np.ascontiguousarray(self.pairs[:, 0])


def find_exclusions(graph: StepGraph) -> Exclusions:
    """The rivals of each relation, in order, with no force yet."""
    relations = len(graph.relations)
    if relations > _RELATIONS or graph.number_of_nodes > _ENTITIES:
        return Exclusions()
    reversed_ = graph.facts[graph.symmetric[graph.facts[:, 1]]][:, [2, 1, 0]]
    facts = np.concatenate([graph.facts, reversed_])
    both = _together(facts[:, [0, 2, 1]], relations)
    shared = np.ones((relations, relations))
    for side in (0, 2):
        counts = _together(facts[:, [side, 1]], relations)
        np.minimum(shared, counts / np.maximum(np.diagonal(counts), 1)[:, None], out=shared)
    shared[both > 0] = 0.0
    found = []
    for relation in range(relations):
        others = np.flatnonzero(shared[relation] >= _SHARED)
        best = np.lexsort((others, -shared[relation, others]))[:_MOST]
        found += [(relation, other) for other in np.sort(others[best]).tolist()]
    pairs = np.array(found, np.int64).reshape(-1, 2)
    sizes = log(np.maximum(np.diagonal(both), 1))
    return Exclusions(0.0, pairs, sizes[pairs[:, 1]] - sizes[pairs[:, 0]])


def _together(rows: IdArray, relations: int) -> IdArray:
    """How many groups have both of two relations, [relations, relations]; a row ends with a relation of its group."""
    rows = distinct(rows)
    starts = np.flatnonzero((rows[1:, :-1] != rows[:-1, :-1]).any(axis=1)) + 1
    counts = np.zeros((relations, relations), np.int64)
    count_together(np.ascontiguousarray(rows[:, -1]), np.concatenate([[0], starts, [len(rows)]]), counts)
    return counts
