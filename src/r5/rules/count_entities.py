"""How good rules about one entity are on a graph: `head(X, c) <= body`, counted from the end of the body backwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5.graph import Graph
from r5.relations import inverse_name
from r5.rules.rule import Rule

__all__ = ["Counts", "EntityCounter", "relation_pairs"]

Nodes = NDArray[np.integer]


class Counts(NamedTuple):
    """What is counted of a rule."""

    pairs: int
    """Pairs for which the body holds."""
    support: int
    """Those for which the head holds too."""
    asked: int
    """Those whose first entity has the head at all."""
    known: int
    """Pairs for which the head holds."""


def relation_pairs(graph: Graph, name: str) -> tuple[Nodes, Nodes]:
    """Between which nodes a relation holds: its edges, and those of its inverse backwards; some may occur twice."""
    words = graph.vocabulary
    other = inverse_name(name)
    forward = np.flatnonzero(graph.relations == words.id(name)) if name in words else np.zeros(0, np.int64)
    usual = bool(other) and inverse_name(other) == name and other in words
    backward = np.flatnonzero(graph.relations == words.id(other)) if usual else np.zeros(0, np.int64)
    return (
        np.concatenate([graph.sources[forward], graph.targets[backward]]),
        np.concatenate([graph.targets[forward], graph.sources[backward]]),
    )


class EntityCounter:
    """Counts rules with a target; each relation's pairs are looked up once, sorted by where they lead."""

    def __init__(self, graph: Graph, rules: Sequence[Rule], loops: bool) -> None:
        self._size = graph.number_of_nodes
        self._loops = loops
        wanted = {name for rule in rules for name in (rule.target, rule.ending) if name is not None}
        self._node = {name: node for node, name in reversed([*enumerate(graph.entities)]) if name in wanted}
        names = {name for rule in rules for name in (rule.head, *rule.relations)}
        self._into = {name: _by_target(*relation_pairs(graph, name)) for name in names}

    def count(self, rule: Rule) -> Counts:
        """The counts of one rule; where its entities are not in the graph, nothing."""
        target = self._node.get(rule.target or "")
        if target is None or (rule.ending is not None and rule.ending not in self._node):
            return Counts(0, 0, 0, 0)
        body = self._holding(rule)
        sources, targets = self._into[rule.head]
        facts = np.zeros(self._size, dtype=bool)
        facts[_leading_to(sources, targets, np.array([target]))] = True
        if not self._loops:
            body[target] = facts[target] = False
        has_head = np.zeros(self._size, dtype=bool)
        has_head[sources if self._loops else sources[sources != targets]] = True
        return Counts(int(body.sum()), int((body & facts).sum()), int((body & has_head).sum()), int(facts.sum()))

    def _holding(self, rule: Rule) -> NDArray[np.bool_]:
        """The nodes for which the body holds."""
        here = np.arange(self._size) if rule.ending is None else np.array([self._node[rule.ending]])
        for name in reversed(rule.relations):
            here = np.unique(_leading_to(*self._into[name], here))
        held = np.zeros(self._size, dtype=bool)
        held[here] = True
        return held


def _by_target(sources: Nodes, targets: Nodes) -> tuple[Nodes, Nodes]:
    order = np.argsort(targets, kind="stable")
    return sources[order], targets[order]


def _leading_to(sources: Nodes, targets: Nodes, nodes: Nodes) -> Nodes:
    """The sources of pairs, sorted by target, that lead to one of the nodes."""
    if nodes.size == 1:
        first, last = np.searchsorted(targets, [nodes[0], nodes[0] + 1])
        return sources[first:last]
    return sources[np.isin(targets, nodes)]
