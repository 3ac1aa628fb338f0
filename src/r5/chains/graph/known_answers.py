"""KnownAnswers: the answers of queries that are facts, for filtered ranking and counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from r5.chains.graph.step_graph import IdArray

__all__ = ["KnownAnswers"]


@dataclass(frozen=True, eq=False)
class KnownAnswers:
    """Known answers of queries (entity, relation, direction), in compressed rows."""

    facts: IdArray  # [facts, 3], distinct and sorted: head, relation, tail
    relations: int  # number of relations

    def answers(self, entities: IdArray, relation: int, backwards: bool) -> tuple[IdArray, IdArray]:
        """Return the known answers of several queries of one relation.

        Args:
            entities: The source of each query, [queries].
            relation: The relation of all queries.
            backwards: False for queries (h, r, ?), True for queries (?, r, t).

        Returns:
            The known answers, [answers], and the offsets of each query's answers, [queries + 1].
        """
        keys, ends = self._columns[backwards]
        query_keys = entities * self.relations + relation
        first, last = np.searchsorted(keys, query_keys), np.searchsorted(keys, query_keys, side="right")
        offsets = np.append(0, np.cumsum(last - first))
        positions = np.arange(offsets[-1]) + np.repeat(first - offsets[:-1], last - first)
        return ends[positions], offsets

    def counts(self, entities: IdArray, relations: IdArray, backwards: bool) -> IdArray:
        """Return the number of known answers of each query, [queries].

        Args:
            entities: The source of each query, [queries].
            relations: The relation of each query, [queries].
            backwards: False for queries (h, r, ?), True for queries (?, r, t).
        """
        keys, _ = self._columns[backwards]
        query_keys = entities * self.relations + relations
        return np.asarray(np.searchsorted(keys, query_keys, side="right") - np.searchsorted(keys, query_keys))

    def of(self, entity: int, relation: int, backwards: bool) -> IdArray:
        """Return the known answers of one query, [answers]."""
        keys, ends = self._columns[backwards]
        key = entity * self.relations + relation
        first, last = keys.searchsorted((key, key + 1))
        return ends[first:last]

    @cached_property
    def _columns(self) -> tuple[tuple[IdArray, IdArray], tuple[IdArray, IdArray]]:
        """Sorted query keys and the answer of each, [facts] both, for either direction."""
        columns = []
        for source, target in ((0, 2), (2, 0)):
            keys = self.facts[:, source] * self.relations + self.facts[:, 1]
            order = np.lexsort((self.facts[:, target], keys))
            columns.append((keys[order], self.facts[order, target]))
        return columns[0], columns[1]
