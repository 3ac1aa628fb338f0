"""KnownAnswers: the answers that queries have in a graph, for filtered ranking and counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from r5.chains.graph.step_graph import IdArray

__all__ = ["KnownAnswers"]


@dataclass(frozen=True, eq=False)
class KnownAnswers:
    """Known answers of queries (entity, relation, direction), in compressed rows."""

    facts: IdArray  # [facts, 3], distinct, in order
    relations: int

    def answers(self, entities: IdArray, relation: int, backwards: bool) -> tuple[IdArray, IdArray]:
        """Return the known answers of several queries of one relation, in one array, and the offsets of each query."""
        keys, ends = self._columns[backwards]
        wanted = entities * self.relations + relation
        first, last = np.searchsorted(keys, wanted), np.searchsorted(keys, wanted, side="right")
        offsets = np.append(0, np.cumsum(last - first))
        at = np.arange(offsets[-1]) + np.repeat(first - offsets[:-1], last - first)
        return ends[at], offsets

    def counts(self, entities: IdArray, relations: IdArray, backwards: bool) -> IdArray:
        """Return the number of known answers of each query, [queries]."""
        keys, _ = self._columns[backwards]
        wanted = entities * self.relations + relations
        return np.asarray(np.searchsorted(keys, wanted, side="right") - np.searchsorted(keys, wanted))

    def of(self, entity: int, relation: int, backwards: bool) -> IdArray:
        """Return the known answers of one query."""
        keys, ends = self._columns[backwards]
        wanted = entity * self.relations + relation
        first, last = keys.searchsorted((wanted, wanted + 1))
        return ends[first:last]

    @cached_property
    def _columns(self) -> tuple[tuple[IdArray, IdArray], tuple[IdArray, IdArray]]:
        found = []
        for here, there in ((0, 2), (2, 0)):
            keys = self.facts[:, here] * self.relations + self.facts[:, 1]
            order = np.lexsort((self.facts[:, there], keys))
            found.append((keys[order], self.facts[order, there]))
        return found[0], found[1]
