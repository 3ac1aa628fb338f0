"""Contradictions and duplicates of a knowledge graph: functional relations with two answers, exclusions, synonyms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from r5.knowledge.fact_index import FactIndex, Facts

__all__ = ["Contradictions", "Duplicate", "duplicate_relations"]

_FUNCTIONAL = 0.95
"""Minimum share of single answers of a functional relation."""
_EXCLUSIVE = 0.01
"""Maximum share of pairs with both of two mutually exclusive relations."""
_DUPLICATE = 0.9
"""Minimum share of pairs with both of two synonymous relations."""
_MIN_SUPPORT = 20
"""Minimum number of entities or facts for such a claim."""
_SHARED = 0.5
"""Minimum share of heads, and of tails, that mutually exclusive relations have in common, of the smaller relation."""
_SHOWN = 3
"""Maximum number of other answers in a message."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two relations that hold between the same entities."""

    relation: str
    other: str
    share: float
    """Share of the larger relation's facts that both relations have."""

    def __str__(self) -> str:
        return f"{self.relation} and {self.other} hold between the same entities ({self.share:.0%})"


def duplicate_relations(facts: Facts, names: tuple[str, ...], nodes: int) -> list[Duplicate]:
    """Return pairs of synonymous relations, those with the highest share first.

    Args:
        facts: Facts of a graph, [facts, 3].
        names: Relation names.
        nodes: Number of entities.
    """
    joint, sizes = _joint_counts(facts, len(names), nodes)
    found = []
    for (one, other), both in joint.items():
        share = both / max(sizes[one], sizes[other])
        if one < other and share >= _DUPLICATE and both >= _MIN_SUPPORT:
            found.append(Duplicate(names[one], names[other], share))
    return sorted(found, key=lambda pair: (-pair.share, pair.relation, pair.other))


def _joint_counts(facts: Facts, relations: int, nodes: int) -> tuple[dict[tuple[int, int], int], list[int]]:
    """Return the number of pairs of entities with both of two relations, and the number of facts of each relation."""
    row, other = FactIndex(facts, nodes).between(facts[:, 0], facts[:, 2])
    keys, counts = np.unique(facts[row, 1] * relations + other, return_counts=True)
    pairs = {divmod(key, relations): count for key, count in zip(keys.tolist(), counts.tolist(), strict=True)}
    return pairs, np.bincount(facts[:, 1], minlength=relations).tolist()


@dataclass(frozen=True, eq=False)
class Contradictions:
    """Detector of facts that contradict other facts of the graph.

    Args:
        facts: Facts of a graph, [facts, 3].
        entities: Names of the entities.
        relations: Names of the relations.
    """

    facts: Facts
    entities: tuple[str, ...]
    relations: tuple[str, ...]

    def of(self, head: int, relation: int, tail: int) -> tuple[str, ...]:
        """Return the contradictions of a fact with others, as sentences."""
        found = []
        for backwards, source, answer in ((False, head, tail), (True, tail, head)):
            if self._functional[backwards][relation]:
                others = [node for node in self._answers(source, relation, backwards) if node != answer]
                if others:
                    names = [self.entities[node] for node in others]
                    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
                    side = "head" if backwards else "tail"
                    found.append(
                        f"{self.relations[relation]} usually has one {side}; "
                        f"{self.entities[source]} also has {', '.join(names[:_SHOWN])}{more}"
                    )
        for other in self._index.relations(head, tail):
            if other != relation and self._exclusive(relation, other):
                both = self._pairs[0].get((relation, other), 0)
                found.append(
                    f"the graph also has {self.relations[other]} between the two; "
                    f"{both} of {min(self._pairs[1][relation], self._pairs[1][other])} such pairs have both"
                )
        return tuple(found)

    @cached_property
    def _index(self) -> FactIndex:
        return FactIndex(self.facts, len(self.entities))

    @cached_property
    def _pairs(self) -> tuple[dict[tuple[int, int], int], list[int]]:
        return _joint_counts(self.facts, len(self.relations), len(self.entities))

    @cached_property
    def _functional(self) -> tuple[list[bool], list[bool]]:
        """Masks of the relations with one tail for nearly every head, and with one head for nearly every tail."""
        found = []
        for side in (0, 2):
            pairs, counts = np.unique(self.facts[:, [side, 1]], axis=0, return_counts=True)
            every = np.bincount(pairs[:, 1], minlength=len(self.relations))
            single = np.bincount(pairs[counts == 1, 1], minlength=len(self.relations))
            found.append(((every >= _MIN_SUPPORT) & (single >= _FUNCTIONAL * every)).tolist())
        return found[0], found[1]

    @cached_property
    def _ends(self) -> dict[tuple[int, int], set[int]]:
        """Entities on each side of each relation."""
        return {
            (side, relation): set(self.facts[self.facts[:, 1] == relation, side].tolist())
            for side in (0, 2)
            for relation in range(len(self.relations))
        }

    def _exclusive(self, one: int, other: int) -> bool:
        """Return whether two relations share heads and tails but hardly any pairs."""
        pairs, sizes = self._pairs
        fewest = min(sizes[one], sizes[other])
        if fewest < _MIN_SUPPORT or pairs.get((one, other), 0) > max(_EXCLUSIVE * fewest, 1):
            return False
        for side in (0, 2):
            first, second = self._ends[side, one], self._ends[side, other]
            if len(first & second) < _SHARED * min(len(first), len(second)):
                return False
        return True

    def _answers(self, entity: int, relation: int, backwards: bool) -> list[int]:
        """Return the answers to a tail query, or with `backwards` to a head query."""
        given, answer = (2, 0) if backwards else (0, 2)
        rows = (self.facts[:, given] == entity) & (self.facts[:, 1] == relation)
        found: list[int] = self.facts[rows, answer].tolist()
        return found
