"""PUCT for one player as a recursion over plain objects: the slow twin of `r5.agent.search`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

Actions = list[tuple[float, float | None]]
"""Prior and, where it is certain, outcome of each action."""
FREE = 100
"""How often a simulation that ends in something solved is made again."""
Expand = Callable[[tuple[int, ...]], tuple[Actions, float]]
"""Actions and value of the node that a path of action numbers leads to."""


@dataclass
class Edge:
    prior: float
    outcome: float | None
    visits: int = 0
    total: float = 0.0
    node: Node | None = None

    @property
    def mean(self) -> float:
        if self.outcome is not None:
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


def node_at(path: tuple[int, ...], expand: Expand) -> Node:
    actions, value = expand(path)
    return Node(path, value, [Edge(prior, outcome) for prior, outcome in actions])


def choose(node: Node, exploration: float) -> int:
    visited = 1 + sum(edge.visits for edge in node.edges)
    scores = [e.mean + exploration * math.sqrt(visited) * e.prior / (1 + e.visits) for e in node.edges]
    return scores.index(max(scores))


def simulate(node: Node, exploration: float, expand: Expand) -> tuple[float, bool]:
    """The value at the end, and whether a node was added there."""
    number = choose(node, exploration)
    edge = node.edges[number]
    grown = False
    if edge.outcome is not None:
        value = edge.outcome
    elif edge.node is None:
        edge.node = node_at((*node.path, number), expand)
        value = edge.node.value if edge.node.solved is None else edge.node.solved
        grown = True
    else:
        value, grown = simulate(edge.node, exploration, expand)
    if edge.outcome is None:
        edge.outcome = edge.node.solved
    edge.visits += 1
    edge.total += value
    return value, grown


def search(root: Node, simulations: int, exploration: float, expand: Expand) -> None:
    for _ in range(simulations):
        for _ in range(FREE + 1):
            _, grown = simulate(root, exploration, expand)
            if grown or root.solved is not None:
                break
