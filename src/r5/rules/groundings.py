"""Groundings of a rule: pairs that the body connects, with and without the head."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from r5.graph import Graph
from r5.relations import inverse_name
from r5.rules.constant_support import relation_pairs
from r5.rules.rule import Rule

__all__ = ["Grounding", "Groundings", "find_groundings"]

_MAX_STEPS = 1_000_000
"""Maximum number of edges followed for one rule."""

Triple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Grounding:
    """Instance of a rule: the head that follows, and the facts of the body."""

    head: Triple
    facts: tuple[Triple, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the triples of head and body."""
        return {"head": list(self.head), "because": [list(fact) for fact in self.facts]}

    def __str__(self) -> str:
        shown = [f"{source} -{relation}-> {target}" for source, relation, target in (self.head, *self.facts)]
        return f"{shown[0]}  because  {', '.join(shown[1:]) or 'it always holds'}"


@dataclass(frozen=True, slots=True)
class Groundings:
    """Groundings with a known head, and exceptions, whose head the graph lacks; one grounding per pair."""

    facts: tuple[Grounding, ...]
    exceptions: tuple[Grounding, ...]


def find_groundings(
    rule: Rule, graph: Graph, count: int = 3, loops: bool = False, max_steps: int = _MAX_STEPS
) -> Groundings:
    """Find groundings of a rule, in the order of the graph's entities.

    Args:
        rule: The rule.
        graph: The graph.
        count: Maximum number of groundings of each kind.
        loops: Also pairs of an entity with itself.
        max_steps: Maximum number of edges followed; the search may then find fewer groundings.

    >>> family = Graph.from_triples([("Ann", "mother", "Eve"), ("Tom", "mother", "Eve"), ("Eve", "sister", "Zoe"),
    ...     ("Ann", "aunt", "Zoe")])
    >>> print(*find_groundings(Rule("aunt", ("mother", "sister")), family).exceptions)
    Tom -aunt-> Zoe  because  Tom -mother-> Eve, Eve -sister-> Zoe

    """
    walker = _Walker(rule, graph, loops, max_steps)
    # The search for facts starts at sources of the head, so that rare facts are found.
    facts = islice(walker.groundings(walker.known_sources(), holding=True), count)
    exceptions = islice(walker.groundings(walker.sources(), holding=False), count)
    return Groundings(tuple(facts), tuple(exceptions))


class _Walker:
    """Traversal of the body of one rule, source by source."""

    def __init__(self, rule: Rule, graph: Graph, loops: bool, max_steps: int) -> None:
        self._rule, self._graph, self._loops, self._max_steps = rule, graph, loops, max_steps
        self._steps = [_targets_by_source(graph, name) for name in rule.relations]
        self._heads = {source: set(targets) for source, targets in _targets_by_source(graph, rule.head).items()}
        nodes = {
            name: node for node, name in reversed([*enumerate(graph.entities)]) if name in (rule.target, rule.ending)
        }
        self._target = nodes.get(rule.target or "", -1)
        self._ending = nodes.get(rule.ending or "", -1)

    def known_sources(self) -> list[int]:
        """Return the sources of the head's facts."""
        return sorted(self._heads)

    def sources(self) -> Iterable[int]:
        """Return the sources of the first relation of the body."""
        return sorted(self._steps[0]) if self._steps else range(self._graph.number_of_nodes)

    def groundings(self, sources: Iterable[int], holding: bool) -> Iterator[Grounding]:
        """Yield one grounding for each pair whose head holds, or does not hold."""
        left = self._max_steps
        for source in sources:
            levels: list[dict[int, int]] = [{source: -1}]
            for targets in self._steps:
                reached: dict[int, int] = {}
                for node in levels[-1]:
                    for target in targets.get(node, ()):
                        reached.setdefault(target, node)
                        left -= 1
                levels.append(reached)
                if left < 0:
                    return
            for end in self._ends(levels[-1]):
                target = end if self._rule.target is None else self._target
                proper = target >= 0 and (self._loops or target != source)
                if proper and (target in self._heads.get(source, ())) == holding:
                    yield self._grounding(levels, end, source, target)

    def _ends(self, reached: dict[int, int]) -> Iterable[int]:
        """Return the ends of the body: all, the constant it ends at, or any one if only existence matters."""
        if self._rule.target is None:
            return sorted(reached)
        if self._rule.ending is not None:
            return [self._ending] if self._ending in reached else []
        return sorted(reached)[:1]

    def _grounding(self, levels: list[dict[int, int]], end: int, source: int, target: int) -> Grounding:
        """Trace the path from the end back to the source."""
        names = self._graph.entities
        nodes = [end]
        for level in reversed(levels[1:]):
            nodes.append(level[nodes[-1]])
        nodes.reverse()
        steps = zip(nodes[:-1], self._rule.relations, nodes[1:], strict=True)
        facts = [_fact(names[first], relation, names[second]) for first, relation, second in steps]
        return Grounding(_fact(names[source], self._rule.head, names[target]), tuple(facts))


def _fact(source: str, relation: str, target: str) -> Triple:
    """Return a triple; an inverse relation is replaced by the relation itself."""
    other = inverse_name(relation)
    is_inverse = 0 < len(other) < len(relation) and inverse_name(other) == relation
    return (target, other, source) if is_inverse else (source, relation, target)


def _targets_by_source(graph: Graph, name: str) -> dict[int, list[int]]:
    """Return the targets of a relation by source, in order."""
    sources, targets = relation_pairs(graph, name)
    pairs = np.unique(np.stack([sources, targets], axis=1), axis=0)
    found: dict[int, list[int]] = {}
    for source, target in pairs.tolist():
        found.setdefault(source, []).append(target)
    return found
