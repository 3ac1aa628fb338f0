"""Questions about a relation algebra: chains side by side between two things, which only together leave one answer.

A graph is grown from its answer: a relation becomes two that compose to just it, or several pairs side by
side whose compositions have just it in common, until every path has the wanted length.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5.data.generators.algebra.algebras import Algebra

__all__ = ["AlgebraGraphs", "possible_answers"]

Edge = tuple[int, int, int]
"""Source, relation, target."""

_TRIES = 200
"""Draws of pairs side by side before fewer, or others, are taken."""


class AlgebraGraphs:
    """Draws graphs between node 0 and node 1 whose paths all have one length."""

    def __init__(self, algebra: Algebra, nested: float = 0.0) -> None:
        self.algebra = algebra
        self.nested = nested
        relations = range(len(algebra.names))
        self._just = {c: [(a, b) for a, b, left in algebra.pairs if left == {c}] for c in relations}
        self._may = {c: [pair for pair in algebra.pairs if c in pair[2]] for c in relations}
        self.answers = [c for c in relations if self._just[c]]
        """The relations that a single chain can leave as the only possible one."""

    def draw(self, length: int, branches: int, rng: np.random.Generator) -> tuple[list[Edge], int]:
        """The edges of a graph, each after those that lead to its source, and the answer."""
        while True:
            answer = int(rng.choice(self.answers))
            pairs = self._side_by_side(answer, branches, rng)
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
        """Two relations with a new node between them, grown to paths of this length."""
        middle, self._nodes = self._nodes, self._nodes + 1
        first = int(rng.integers(1, length))
        self._grow(edges, (ends[0], middle), pair[0], first, rng)
        self._grow(edges, (middle, ends[1]), pair[1], length - first, rng)

    def _grow(
        self, edges: list[Edge], ends: tuple[int, int], relation: int, length: int, rng: np.random.Generator
    ) -> None:
        """One relation, grown to paths of this length between its ends."""
        if length == 1:
            edges.append((ends[0], relation, ends[1]))
            return
        several = int(rng.integers(2, 4)) if rng.random() < self.nested else 1
        for pair in self._side_by_side(relation, several, rng):
            self._chain(edges, ends, pair, length, rng)

    def _side_by_side(self, relation: int, count: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        """So many pairs that have just this relation in common; none alone decides it, where that can be."""
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
    """What all paths from node 0 to node 1 together leave possible; what meets at a node is intersected there."""
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
    """The nodes but the first, each after those from which edges lead to it."""
    waiting: dict[int, int] = {}
    leaving: dict[int, list[int]] = {}
    for source, _, target in edges:
        waiting[target] = waiting.get(target, 0) + 1
        leaving.setdefault(source, []).append(target)
    order, ready = [], [0]
    while ready:
        node = ready.pop()
        order.append(node)
        for target in leaving.get(node, ()):
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return order[1:]
