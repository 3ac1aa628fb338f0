"""Support and confidence of rules with constants, `head(X, c) <= body`, evaluated from the end of the body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5.graph import Graph
from r5.relations import inverse_name
from r5.rules.rule import Rule

__all__ = ["ConstantRuleCounter", "Counts", "relation_pairs"]

Nodes = NDArray[np.integer]


class Counts(NamedTuple):
    """Counts of pairs of entities for one rule."""

    pairs: int
    """Pairs for which the body holds."""
    support: int
    """Pairs for which body and head hold."""
    pca_pairs: int
    """Pairs for which the body holds and whose first entity has the head with some entity."""
    known: int
    """Pairs for which the head holds."""


def relation_pairs(graph: Graph, name: str) -> tuple[Nodes, Nodes]:
    """Return the sources and targets of a relation: its edges and the reversed edges of its inverse, with repeats."""
    words = graph.vocabulary
    other = inverse_name(name)
    forward = np.flatnonzero(graph.relations == words.id(name)) if name in words else np.zeros(0, np.int64)
    has_inverse = bool(other) and inverse_name(other) == name and other in words
    backward = np.flatnonzero(graph.relations == words.id(other)) if has_inverse else np.zeros(0, np.int64)
    return (
        np.concatenate([graph.sources[forward], graph.targets[backward]]),
        np.concatenate([graph.targets[forward], graph.sources[backward]]),
    )


class ConstantRuleCounter:
    """Counter for rules with a target, with the pairs of each relation sorted by target.

    Args:
        graph: The graph.
        rules: The rules to count.
        loops: Also count pairs of an entity with itself.
    """

    def __init__(self, graph: Graph, rules: Sequence[Rule], loops: bool) -> None:
        self._size = graph.number_of_nodes
        self._loops = loops
        wanted = {name for rule in rules for name in (rule.target, rule.ending) if name is not None}
        self._node = {name: node for node, name in reversed([*enumerate(graph.entities)]) if name in wanted}
        names = {name for rule in rules for name in (rule.head, *rule.relations)}
        self._into = {name: _by_target(*relation_pairs(graph, name)) for name in names}

    def count(self, rule: Rule) -> Counts:
        """Return the counts of one rule; all 0 if the graph lacks its entities."""
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
        return Counts(
            pairs=int(body.sum()),
            support=int((body & facts).sum()),
            pca_pairs=int((body & has_head).sum()),
            known=int(facts.sum()),
        )

    def _holding(self, rule: Rule) -> NDArray[np.bool_]:
        """Return a mask of the nodes for which the body holds, [nodes]."""
        reached = np.arange(self._size) if rule.ending is None else np.array([self._node[rule.ending]])
        for name in reversed(rule.relations):
            reached = np.unique(_leading_to(*self._into[name], reached))
        held = np.zeros(self._size, dtype=bool)
        held[reached] = True
        return held


def _by_target(sources: Nodes, targets: Nodes) -> tuple[Nodes, Nodes]:
    order = np.argsort(targets, kind="stable")
    return sources[order], targets[order]


def _leading_to(sources: Nodes, targets: Nodes, nodes: Nodes) -> Nodes:
    """Return the sources of the pairs, sorted by target, whose target is one of the nodes."""
    if nodes.size == 1:
        first, last = np.searchsorted(targets, [nodes[0], nodes[0] + 1])
        return sources[first:last]
    return sources[np.isin(targets, nodes)]
