"""PUCT for one player as a recursion over plain objects: the slow twin of `r5.agent.search.forest`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from r5._util.ordering import is_close

Actions = list[tuple[float, float | None]]
"""Prior and, where it is certain, outcome of each action."""
Expand = Callable[[tuple[int, ...]], tuple[Actions, float]]
"""Actions and value of the node that a path of action numbers leads to."""


@dataclass
class Edge:
    prior: float
    outcome: float | None
    visits: int = 0
    total: float = 0.0
    node: Node | None = None

    def mean(self, solving: bool) -> float:
        if solving and self.outcome is not None:
            return self.outcome
        return self.total / self.visits if self.visits else 0.0


@dataclass
class Node:
    path: tuple[int, ...]
    value: float
    edges: list[Edge] = field(default_factory=list)

    @property
    def solved(self) -> float | None:
        outcomes = [edge.outcome for edge in self.edges]
        return None if None in outcomes else max(outcomes)


@dataclass(frozen=True)
class Search:
    """Options of the search: solved nodes, and visits in solved parts that do not count."""

    simulations: int
    exploration: float
    solving: bool = False
    free_visits: int = 0

    def run(self, root: Node, expand: Expand) -> None:
        for _ in range(self.simulations):
            for _ in range(self.free_visits + 1):
                _, grown = self.simulate(root, expand)
                if grown or root.solved is not None:
                    break

    def simulate(self, node: Node, expand: Expand) -> tuple[float, bool]:
        """The value at the end, and whether a node was added there."""
        number = self.choose(node)
        edge = node.edges[number]
        grown = False
        if edge.outcome is not None:
            value = edge.outcome
        elif edge.node is None:
            edge.node = node_at((*node.path, number), expand)
            value = edge.node.solved if self.solving and edge.node.solved is not None else edge.node.value
            grown = True
        else:
            value, grown = self.simulate(edge.node, expand)
        if self.solving and edge.outcome is None:
            edge.outcome = edge.node.solved
        edge.visits += 1
        edge.total += value
        return value, grown

    def choose(self, node: Node) -> int:
        scale = self.exploration * math.sqrt(1 + sum(edge.visits for edge in node.edges))
        scores = [edge.mean(self.solving) + scale * edge.prior / (1 + edge.visits) for edge in node.edges]
        best = 0
        for number, score in enumerate(scores):
            if score > scores[best] and not is_close(score, scores[best]):
                best = number
        return best


def node_at(path: tuple[int, ...], expand: Expand) -> Node:
    actions, value = expand(path)
    return Node(path, value, [Edge(prior, outcome) for prior, outcome in actions])


def policy(node: Node, solving: bool) -> list[float]:
    """pi: visits as shares; of a solved node, where these are made use of, of its best actions only."""
    weights = [float(edge.visits) for edge in node.edges]
    if solving and node.solved is not None:
        best = [is_close(edge.outcome, node.solved) for edge in node.edges]
        visited = [weight * is_best for weight, is_best in zip(weights, best, strict=True)]
        weights = visited if any(visited) else [float(is_best) for is_best in best]
    return [weight / sum(weights) for weight in weights]
