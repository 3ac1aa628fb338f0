"""Facts as sorted keys, so that which relations hold between two entities is looked up for many pairs at once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from r5.dataset import Dataset
from r5.examples import Examples
from r5.graph import Graph

__all__ = ["FactIndex", "all_facts", "facts_of", "query_facts"]

Facts = NDArray[np.int64]
"""[facts, 3]: source, relation, target."""


def facts_of(graph: Graph) -> Facts:
    """The distinct facts of a graph; edges that were added as inverses are left out, being the same fact."""
    _, first = np.unique(graph.facts, return_index=True)
    first.sort()
    return np.stack([graph.sources[first], graph.relations[first], graph.targets[first]], axis=1).astype(np.int64)


def query_facts(examples: Examples) -> Facts:
    """The facts that questions with a known answer ask for."""
    columns = np.stack([examples.sources, examples.answers, examples.targets], axis=1)
    return columns[examples.answers >= 0].astype(np.int64)


def all_facts(data: Dataset) -> Facts:
    """What is true in a knowledge graph: the facts of its graph and of every split."""
    parts = [facts_of(data.train.pool), *(query_facts(part) for part in (data.train, data.valid, data.test))]
    return np.unique(np.concatenate(parts), axis=0)


class FactIndex:
    """The relations between two entities."""

    def __init__(self, facts: Facts, nodes: int) -> None:
        self._nodes = nodes
        keys = facts[:, 0] * nodes + facts[:, 2]
        order = np.lexsort((facts[:, 1], keys))
        self._keys, self._relations = keys[order], facts[order, 1]

    def between(self, sources: NDArray[np.integer], targets: NDArray[np.integer]) -> tuple[Facts, Facts]:
        """For each pair its relations: two arrays, the place of the pair and a relation, sorted by both."""
        keys = sources.astype(np.int64) * self._nodes + targets
        first, last = np.searchsorted(self._keys, keys), np.searchsorted(self._keys, keys, side="right")
        sizes = last - first
        place = np.repeat(np.arange(keys.size), sizes)
        within = np.arange(place.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return place, self._relations[np.repeat(first, sizes) + within]

    def relations(self, source: int, target: int) -> list[int]:
        """The relations that hold from one entity to another."""
        found: list[int] = self.between(np.array([source]), np.array([target]))[1].tolist()
        return found

    def holds(self, facts: Facts) -> NDArray[np.bool_]:
        """Which of the facts are there."""
        return self.any_of(facts[:, 0], facts[:, 2], [(r,) for r in facts[:, 1].tolist()])

    def any_of(
        self, sources: NDArray[np.integer], targets: NDArray[np.integer], wanted: Iterable[Iterable[int]]
    ) -> NDArray[np.bool_]:
        """For each pair, whether one of the wanted relations holds between them."""
        place, relation = self.between(sources, targets)
        sets = [set(row) for row in wanted]
        found = np.zeros(sources.size, dtype=bool)
        for at, name in zip(place.tolist(), relation.tolist(), strict=True):
            found[at] = found[at] or name in sets[at]
        return found
