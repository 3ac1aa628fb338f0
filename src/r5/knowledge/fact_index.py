"""FactIndex: lookup of the relations between many pairs of entities."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from r5.dataset import Dataset
from r5.examples import Examples
from r5.graph import Graph

__all__ = ["FactIndex", "all_facts", "graph_facts", "query_facts"]

Facts = NDArray[np.int64]
"""[facts, 3]: source, relation, target."""


def graph_facts(graph: Graph) -> Facts:
    """Return the distinct facts of a graph, [facts, 3]; an inverse edge is the same fact as its edge."""
    _, first = np.unique(graph.facts, return_index=True)
    first.sort()
    return np.stack([graph.sources[first], graph.relations[first], graph.targets[first]], axis=1).astype(np.int64)


def query_facts(examples: Examples) -> Facts:
    """Return the facts of queries with an answer, [facts, 3]."""
    columns = np.stack([examples.sources, examples.answers, examples.targets], axis=1)
    return columns[examples.answers >= 0].astype(np.int64)


def all_facts(data: Dataset) -> Facts:
    """Return the distinct facts of a knowledge graph and of all splits, [facts, 3]."""
    parts = [graph_facts(data.train.pool), *(query_facts(part) for part in (data.train, data.valid, data.test))]
    return np.unique(np.concatenate(parts), axis=0)


class FactIndex:
    """Index of facts by their two entities.

    Args:
        facts: Facts, [facts, 3].
        nodes: Number of entities.
    """

    def __init__(self, facts: Facts, nodes: int) -> None:
        self._nodes = nodes
        keys = facts[:, 0] * nodes + facts[:, 2]
        order = np.lexsort((facts[:, 1], keys))
        self._keys, self._relations = keys[order], facts[order, 1]

    def between(self, sources: NDArray[np.integer], targets: NDArray[np.integer]) -> tuple[Facts, Facts]:
        """Look up the relations of pairs.

        Args:
            sources: Source entities, [pairs].
            targets: Target entities, [pairs].

        Returns:
            Two arrays, sorted by both: the index of a pair, and a relation of that pair.
        """
        keys = sources.astype(np.int64) * self._nodes + targets
        first, last = np.searchsorted(self._keys, keys), np.searchsorted(self._keys, keys, side="right")
        sizes = last - first
        pair = np.repeat(np.arange(keys.size), sizes)
        within = np.arange(pair.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return pair, self._relations[np.repeat(first, sizes) + within]

    def relations(self, source: int, target: int) -> list[int]:
        """Return the relations from one entity to another."""
        found: list[int] = self.between(np.array([source]), np.array([target]))[1].tolist()
        return found

    def holds(self, facts: Facts) -> NDArray[np.bool_]:
        """Return a mask of the facts that the index contains, [facts]."""
        return self.any_of(facts[:, 0], facts[:, 2], [(r,) for r in facts[:, 1].tolist()])

    def any_of(
        self, sources: NDArray[np.integer], targets: NDArray[np.integer], wanted: Iterable[Iterable[int]]
    ) -> NDArray[np.bool_]:
        """Return a mask of the pairs that have one of their wanted relations, [pairs]."""
        pair, relation = self.between(sources, targets)
        sets = [set(row) for row in wanted]
        found = np.zeros(sources.size, dtype=bool)
        for at, name in zip(pair.tolist(), relation.tolist(), strict=True):
            found[at] = found[at] or name in sets[at]
        return found
