"""Graphs around a chain of relations: side edges without shortcuts, and label noise on edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from r5.data.builder import Row
from r5.errors import R5Error

__all__ = ["Confusion", "GraphDrawer"]


class Confusion:
    """Label noise: an edge carries a wrong relation with probability `rate`.

    Wrong relations are uniform. If `systematic`, each relation has a random order of the others, of which the
    first has probability 1/2, the second 1/4, and so on.

    Args:
        relations: Number of relations.
        rate: Probability of a wrong relation.
        systematic: Prefer certain wrong relations.
        rng: Random generator of the orders.
    """

    def __init__(self, relations: int, rate: float, systematic: bool, rng: np.random.Generator) -> None:
        if rate and relations == 1:
            raise R5Error("wrong edges need a second relation, and there is only one")
        self.rate = rate
        self.systematic = systematic
        self.others = np.array(
            [rng.permutation([other for other in range(relations) if other != true]) for true in range(relations)]
        )
        """Wrong relations of each relation, most probable first, [relations, relations - 1]."""

    def observe(self, true: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw the observed relations of edges from their true relations, [edges]."""
        if not self.rate:
            return true
        most = self.others.shape[1] - 1
        if self.systematic:
            rank = np.minimum(rng.geometric(0.5, true.size) - 1, most)
        else:
            rank = rng.integers(0, most, true.size, endpoint=True)
        return np.where(rng.random(true.size) < self.rate, self.others[true, rank], true)


@dataclass(frozen=True)
class GraphDrawer:
    """Generator of examples from descriptors."""

    names: Sequence[str]
    """Relation names."""
    side_edges: float
    """Mean number of side edges."""
    confusion: Confusion
    """Label noise."""

    def row(self, descriptor: Sequence[int], answer: int, rng: np.random.Generator) -> Row:
        """Draw an example with the descriptor's chain and side edges in random order.

        Args:
            descriptor: Relation ids along the chain.
            answer: Relation id of the answer.
            rng: Random generator.
        """
        length = len(descriptor)
        side = _side_edges(length, int(rng.poisson(self.side_edges)), rng)
        ends = [*pairwise(range(length + 1)), *side]
        relations = np.concatenate([np.array(descriptor), rng.integers(0, len(self.names), len(side))])
        observed = self.confusion.observe(relations, rng).tolist()
        nodes: dict[int, str] = {}
        edges = []
        for place in rng.permutation(len(ends)).tolist():
            source, target = (nodes.setdefault(node, str(len(nodes))) for node in ends[place])
            edges.append((source, self.names[observed[place]], target))
        return Row(
            edges=edges,
            source=nodes[0],
            target=nodes[length],
            answer=self.names[answer],
            resolution=[nodes[node] for node in range(length + 1)],
            descriptor=[self.names[relation] for relation in descriptor],
        )


def _side_edges(length: int, count: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Draw up to `count` edges among the chain's nodes 0..length and ceil(count / 2) further nodes.

    Each node has a level. An edge of the chain climbs one level, and every side edge climbs less. Therefore each
    other path from start to end is longer than the chain.
    """
    others = (count + 1) // 2
    levels = [*range(length + 1), *(rng.integers(-1, length, others, endpoint=True) + 0.5).tolist()]
    used = {frozenset(pair) for pair in pairwise(range(length + 1))}
    found: list[tuple[int, int]] = []
    for one, other in rng.integers(0, len(levels), (4 * count, 2)).tolist():
        pair = frozenset((one, other))
        if len(found) == count:
            break
        if len(pair) == 2 and pair not in used:
            used.add(pair)
            low, high = sorted((one, other), key=levels.__getitem__)
            # Edges climb if that is allowed, which creates longer alternative paths; otherwise they descend.
            found.append((low, high) if levels[high] - levels[low] < 1 else (high, low))
    return found
