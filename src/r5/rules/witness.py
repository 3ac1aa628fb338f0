"""Which facts speak for a rule, and which exceptions there are: pairs of entities with a path between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from r5.graph import Graph
from r5.relations import inverse_name
from r5.rules.count_entities import relation_pairs
from r5.rules.rule import Rule

__all__ = ["Witness", "Witnesses", "witnesses"]

_WORK = 1_000_000
"""So many steps are taken for one rule, at most."""

Triple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Witness:
    """One pair that the body of a rule connects: the head that follows, and the facts on one way there."""

    head: Triple
    facts: tuple[Triple, ...]

    def to_json(self) -> dict[str, Any]:
        """Source, relation and target of the head and of the facts."""
        return {"head": list(self.head), "because": [list(fact) for fact in self.facts]}

    def __str__(self) -> str:
        shown = [f"{source} -{relation}-> {target}" for source, relation, target in (self.head, *self.facts)]
        return f"{shown[0]}  because  {', '.join(shown[1:]) or 'it always holds'}"


@dataclass(frozen=True, slots=True)
class Witnesses:
    """Some pairs for which a rule's head holds, and some for which the graph does not have it."""

    facts: tuple[Witness, ...]
    exceptions: tuple[Witness, ...]


def witnesses(rule: Rule, graph: Graph, count: int = 3, loops: bool = False) -> Witnesses:
    """The first `count` pairs of each kind, in the order of the graph's entities; fewer where the search is too long.

    >>> family = Graph.from_triples([("Ann", "mother", "Eve"), ("Tom", "mother", "Eve"), ("Eve", "sister", "Zoe"),
    ...     ("Ann", "aunt", "Zoe")])
    >>> print(*witnesses(Rule("aunt", ("mother", "sister")), family).exceptions)
    Tom -aunt-> Zoe  because  Tom -mother-> Eve, Eve -sister-> Zoe
    """
    walker = _Walker(rule, graph, loops)
    # A quick look where the head is known finds facts even if they are rare among all pairs.
    facts = _first(walker.pairs(walker.known_sources(), holding=True), count)
    exceptions = _first(walker.pairs(walker.sources(), holding=False), count)
    return Witnesses(tuple(facts), tuple(exceptions))


def _first(found: Iterable[Witness], count: int) -> list[Witness]:
    return [witness for witness, _ in zip(found, range(count), strict=False)]


class _Walker:
    """Follows the body of one rule from one entity after the other."""

    def __init__(self, rule: Rule, graph: Graph, loops: bool) -> None:
        self._rule, self._graph, self._loops = rule, graph, loops
        self._steps = [_leads(graph, name) for name in rule.relations]
        self._heads = {source: set(targets) for source, targets in _leads(graph, rule.head).items()}
        nodes = {
            name: node for node, name in reversed([*enumerate(graph.entities)]) if name in (rule.target, rule.ending)
        }
        self._target = nodes.get(rule.target or "", -1)
        self._ending = nodes.get(rule.ending or "", -1)

    def known_sources(self) -> list[int]:
        """Entities that have the head."""
        return sorted(self._heads)

    def sources(self) -> Iterable[int]:
        """Entities from which the body may lead somewhere."""
        return sorted(self._steps[0]) if self._steps else range(self._graph.number_of_nodes)

    def pairs(self, sources: Iterable[int], holding: bool) -> Iterator[Witness]:
        """The pairs that the body connects and for which the head holds, or does not."""
        left = _WORK
        for source in sources:
            levels: list[dict[int, int]] = [{source: -1}]
            for leads in self._steps:
                reached: dict[int, int] = {}
                for node in levels[-1]:
                    for target in leads.get(node, ()):
                        reached.setdefault(target, node)
                        left -= 1
                levels.append(reached)
                if left < 0:
                    return
            for end in self._ends(levels[-1]):
                target = end if self._rule.target is None else self._target
                proper = target >= 0 and (self._loops or target != source)
                if proper and (target in self._heads.get(source, ())) == holding:
                    yield self._witness(levels, end, source, target)

    def _ends(self, reached: dict[int, int]) -> Iterable[int]:
        """Where the body may end: anywhere, at the entity it names, or at one place where only that matters."""
        if self._rule.target is None:
            return sorted(reached)
        if self._rule.ending is not None:
            return [self._ending] if self._ending in reached else []
        return sorted(reached)[:1]

    def _witness(self, levels: list[dict[int, int]], end: int, source: int, target: int) -> Witness:
        names = self._graph.entities
        nodes = [end]
        for level in reversed(levels[1:]):
            nodes.append(level[nodes[-1]])
        nodes.reverse()
        steps = zip(nodes[:-1], self._rule.relations, nodes[1:], strict=True)
        facts = [_fact(names[first], relation, names[second]) for first, relation, second in steps]
        return Witness(_fact(names[source], self._rule.head, names[target]), tuple(facts))


def _fact(source: str, relation: str, target: str) -> Triple:
    """The fact as the graph has it: one of an inverse relation is turned round."""
    other = inverse_name(relation)
    turned = 0 < len(other) < len(relation) and inverse_name(other) == relation
    return (target, other, source) if turned else (source, relation, target)


def _leads(graph: Graph, name: str) -> dict[int, list[int]]:
    """Where a relation leads from each node, in order."""
    sources, targets = relation_pairs(graph, name)
    pairs = np.unique(np.stack([sources, targets], axis=1), axis=0)
    found: dict[int, list[int]] = {}
    for source, target in pairs.tolist():
        found.setdefault(source, []).append(target)
    return found
