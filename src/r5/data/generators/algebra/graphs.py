"""Graphs over a relation algebra: parallel chains that allow one common answer.

A graph is expanded from its answer. Each step replaces a relation by a pair that composes to it alone, or by
parallel pairs whose compositions intersect in it alone, until every path has the requested length.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5.data.generators.algebra.algebras import Algebra

__all__ = ["AlgebraGraphs", "possible_answers"]

Edge = tuple[int, int, int]
"""Source, relation, target."""

_TRIES = 200
"""Draws of parallel pairs before a fallback is used."""


class AlgebraGraphs:
    """Generator of graphs between node 0 and node 1 whose paths have equal length.

    Args:
        algebra: The relation algebra.
        nested: Probability that a relation within a chain is replaced by parallel chains.
    """

    def __init__(self, algebra: Algebra, nested: float = 0.0) -> None:
        self.algebra = algebra
        self.nested = nested
        relations = range(len(algebra.names))
        self._just = {c: [(a, b) for a, b, left in algebra.pairs if left == {c}] for c in relations}
        self._may = {c: [pair for pair in algebra.pairs if c in pair[2]] for c in relations}
        self.answers = [c for c in relations if self._just[c]]
        """Relations that are the only composition of some pair."""

    def draw(self, length: int, branches: int, rng: np.random.Generator) -> tuple[list[Edge], int]:
        """Draw a graph and its answer.

        Args:
            length: Length of every path.
            branches: Number of parallel chains between the ends.
            rng: Random generator.

        Returns:
            The edges in topological order, and the answer.
        """
        while True:
            answer = int(rng.choice(self.answers))
            pairs = self._parallel_pairs(answer, branches, rng)
            edges: list[Edge] = []
            self._nodes = 2
            for a, b in pairs:
                self._chain(edges, (0, 1), (a, b), length, rng)
            left = possible_answers(self.algebra, edges, self._nodes)
            if left.sum() == 1 and left[answer]:
                return edges, answer

    def _chain(
        self, edges: list[Edge], ends: tuple[int, int], pair: tuple[int, int], length: int, rng: np.random.Generator
    ) -> None:
        """Expand two relations with a new node between them to paths of a length."""
        middle, self._nodes = self._nodes, self._nodes + 1
        first = int(rng.integers(1, length))
        self._expand(edges, (ends[0], middle), pair[0], first, rng)
        self._expand(edges, (middle, ends[1]), pair[1], length - first, rng)

    def _expand(
        self, edges: list[Edge], ends: tuple[int, int], relation: int, length: int, rng: np.random.Generator
    ) -> None:
        """Expand one relation to paths of a length between its ends."""
        if length == 1:
            edges.append((ends[0], relation, ends[1]))
            return
        several = int(rng.integers(2, 4)) if rng.random() < self.nested else 1
        for pair in self._parallel_pairs(relation, several, rng):
            self._chain(edges, ends, pair, length, rng)

    def _parallel_pairs(self, relation: int, count: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Draw pairs whose compositions intersect in one relation; prefer pairs of which none alone decides it."""
        spare = None
        for _ in range(_TRIES if count > 1 else 0):
            chosen = [self._may[relation][n] for n in rng.integers(len(self._may[relation]), size=count)]
            if frozenset.intersection(*(left for _, _, left in chosen)) == {relation}:
                spare = [(a, b) for a, b, _ in chosen]
                if all(len(left) > 1 for _, _, left in chosen):
                    return spare
        if spare is not None:
            return spare
        just = self._just[relation]
        return [just[n] for n in rng.integers(len(just), size=count)]


def possible_answers(algebra: Algebra, edges: list[Edge], nodes: int) -> NDArray[np.bool_]:
    """Propagate the allowed relations from node 0 to node 1 and intersect them at each node.

    Args:
        algebra: The relation algebra.
        edges: Edges of an acyclic graph.
        nodes: Number of nodes.

    Returns:
        Mask of the relations that all paths allow, [relations].
    """
    possible = np.ones((nodes, len(algebra.names)), dtype=np.bool_)
    incoming: dict[int, list[Edge]] = {}
    for edge in edges:
        incoming.setdefault(edge[2], []).append(edge)
    for node in _forward(edges):
        for source, relation, _ in incoming[node]:
            through = algebra.table[possible[source], relation].any(axis=0)
            possible[node] &= through if source else np.arange(len(algebra.names)) == relation
    answers: NDArray[np.bool_] = possible[1]
    return answers


def _forward(edges: list[Edge]) -> list[int]:
    """Return the nodes except the first, in topological order."""
    pending: dict[int, int] = {}
    successors: dict[int, list[int]] = {}
    for source, _, target in edges:
        pending[target] = pending.get(target, 0) + 1
        successors.setdefault(source, []).append(target)
    order, ready = [], [0]
    while ready:
        node = ready.pop()
        order.append(node)
        for target in successors.get(node, ()):
            pending[target] -= 1
            if not pending[target]:
                ready.append(target)
    return order[1:]
