"""Mutual exclusion of relations: relations with the same kinds of entities that never share a pair.

A high score of a pair by one relation is evidence against the other: a likely aunt of a person is unlikely to be the
mother. The strength of this evidence is fitted on held-out facts.
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

_MIN_SHARED = 0.05
"""Minimum share of the entities of a relation that an excluding relation has, on both sides."""
_MAX_EXCLUSIONS = 32
"""Maximum number of excluding relations per relation: those with the largest share of entities."""
_MAX_RELATIONS, _MAX_ENTITIES = 2_000, 100_000
"""Larger graphs have no exclusions: the table of relation pairs would be too large, and a query takes as long as one
query for each excluding relation."""


@dataclass(frozen=True, eq=False)
class Exclusions:
    """Pairs of relations that exclude each other, and the strength by which they reduce scores."""

    strength: float = 0.0
    pairs: IdArray = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    """Relation and excluding relation, in order, [pairs, 2]."""
    log_odds: FloatArray = field(default_factory=lambda: np.zeros(0))
    """Log of the facts of the excluding relation per fact of the relation, [pairs]."""

    def of(self, relation: int) -> tuple[IdArray, FloatArray]:
        """Return the relations that exclude a relation, and the log-odds of each."""
        first, last = np.searchsorted(self._first, [relation, relation + 1])
        return self.pairs[first:last, 1], self.log_odds[first:last]

    @cached_property
    def _first(self) -> IdArray:
        """First relation of each pair, [pairs]."""
        return np.ascontiguousarray(self.pairs[:, 0])


def find_exclusions(graph: StepGraph) -> Exclusions:
    """Return the exclusions of every relation of a graph, with strength 0."""
    relations = len(graph.relations)
    if relations > _MAX_RELATIONS or graph.number_of_nodes > _MAX_ENTITIES:
        return Exclusions()
    reversed_ = graph.facts[graph.symmetric[graph.facts[:, 1]]][:, [2, 1, 0]]
    facts = np.concatenate([graph.facts, reversed_])
    pair_counts = _count_groups(facts[:, [0, 2, 1]], relations)
    shared = np.ones((relations, relations))
    for side in (0, 2):
        counts = _count_groups(facts[:, [side, 1]], relations)
        np.minimum(shared, counts / np.maximum(np.diagonal(counts), 1)[:, None], out=shared)
    shared[pair_counts > 0] = 0.0
    found = []
    for relation in range(relations):
        others = np.flatnonzero(shared[relation] >= _MIN_SHARED)
        best = np.lexsort((others, -shared[relation, others]))[:_MAX_EXCLUSIONS]
        found += [(relation, other) for other in np.sort(others[best]).tolist()]
    pairs = np.array(found, np.int64).reshape(-1, 2)
    sizes = log(np.maximum(np.diagonal(pair_counts), 1))
    return Exclusions(0.0, pairs, sizes[pairs[:, 1]] - sizes[pairs[:, 0]])


def _count_groups(rows: IdArray, relations: int) -> IdArray:
    """Return the number of groups with both of two relations, [relations, relations].

    The last column of the rows is a relation, the other columns identify its group.
    """
    rows = distinct(rows)
    starts = np.flatnonzero((rows[1:, :-1] != rows[:-1, :-1]).any(axis=1)) + 1
    counts = np.zeros((relations, relations), np.int64)
    count_together(np.ascontiguousarray(rows[:, -1]), np.concatenate([[0], starts, [len(rows)]]), counts)
    return counts
