"""Contradictions and duplicates of a knowledge graph: functional relations with two answers, exclusions, synonyms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from r5.knowledge.fact_index import FactIndex, Facts

__all__ = ["Contradictions", "Duplicate", "duplicate_relations"]

_FUNCTIONAL, _EXCLUSIVE, _DUPLICATE = 0.95, 0.01, 0.9
"""Share of single answers of a functional relation; largest share of pairs with both of two relations that exclude each
other; smallest share of pairs with both of two relations that say the same."""
_FEWEST = 20
"""Minimum number of entities or facts that such a claim rests on."""
_SHARED = 0.5
"""Share of heads, and of tails, that relations which exclude each other have in common with the smaller one."""
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two relations that hold between the same entities."""

    relation: str
    other: str
    share: float
    """Share of the facts of either relation that the other one has too, the smaller of both."""

    def __str__(self) -> str:
        return f"{self.relation} and {self.other} hold between the same entities ({self.share:.0%})"


def duplicate_relations(facts: Facts, names: tuple[str, ...], nodes: int) -> list[Duplicate]:
    """Return pairs of relations that say the same, the surest first."""
    together, sizes = _together(facts, len(names), nodes)
    found = []
    for (one, other), both in together.items():
        share = both / max(sizes[one], sizes[other])
        if one < other and share >= _DUPLICATE and both >= _FEWEST:
            found.append(Duplicate(names[one], names[other], share))
    return sorted(found, key=lambda pair: (-pair.share, pair.relation, pair.other))


def _together(facts: Facts, relations: int, nodes: int) -> tuple[dict[tuple[int, int], int], list[int]]:
    """Number of pairs of entities with both of two relations, and number of facts of each relation."""
    row, other = FactIndex(facts, nodes).between(facts[:, 0], facts[:, 2])
    keys, counts = np.unique(facts[row, 1] * relations + other, return_counts=True)
    pairs = {divmod(key, relations): count for key, count in zip(keys.tolist(), counts.tolist(), strict=True)}
    return pairs, np.bincount(facts[:, 1], minlength=relations).tolist()


@dataclass(frozen=True, eq=False)
class Contradictions:
    """What speaks against a fact within the graph itself.

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
        return _together(self.facts, len(self.relations), len(self.entities))

    @cached_property
    def _functional(self) -> tuple[list[bool], list[bool]]:
        """Relations that give nearly every head one tail, and nearly every tail one head."""
        found = []
        for side in (0, 2):
            pairs, counts = np.unique(self.facts[:, [side, 1]], axis=0, return_counts=True)
            every = np.bincount(pairs[:, 1], minlength=len(self.relations))
            single = np.bincount(pairs[counts == 1, 1], minlength=len(self.relations))
            found.append(((every >= _FEWEST) & (single >= _FUNCTIONAL * every)).tolist())
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
        """Return whether two relations share their heads and tails, but hardly ever hold between the same two."""
        pairs, sizes = self._pairs
        fewest = min(sizes[one], sizes[other])
        if fewest < _FEWEST or pairs.get((one, other), 0) > max(_EXCLUSIVE * fewest, 1):
            return False
        for side in (0, 2):
            mine, theirs = self._ends[side, one], self._ends[side, other]
            if len(mine & theirs) < _SHARED * min(len(mine), len(theirs)):
                return False
        return True

    def _answers(self, entity: int, relation: int, backwards: bool) -> list[int]:
        here, there = (2, 0) if backwards else (0, 2)
        rows = (self.facts[:, here] == entity) & (self.facts[:, 1] == relation)
        found: list[int] = self.facts[rows, there].tolist()
        return found
