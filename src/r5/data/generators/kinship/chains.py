"""Chains of relatives, built like CLUTRR's stories by repeated insertion of a person between two others.

Each insertion replaces a relation by two relations that compose to it. Therefore every chain can be
merged, pair by pair, to the relation of its ends, and each intermediate relation has a name.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np

from r5._util.arrays import IntArray
from r5.data.generators.kinship.algebra import EDGE_RELATIONS, RELATIONS, composition_rules
from r5.data.generators.kinship.genealogy import Genealogy

__all__ = ["Family", "bodies", "draw_chain"]

_NAMES = tuple(RELATIONS)
_NUMBERS = {name: number for number, name in enumerate(_NAMES)}
_INDIRECT = tuple(int(name not in EDGE_RELATIONS) for name in _NAMES)
"""1 for a relation that no edge carries: a chain expands it to at least two edges."""


def _heads() -> IntArray:
    """Return the head of each pair of relations, -1 for none; the last row and column stand for no relation."""
    heads = np.full((len(_NAMES) + 1, len(_NAMES) + 1), -1, dtype=np.int32)
    for rule in composition_rules():
        first, second = rule.body
        heads[_NUMBERS[first], _NUMBERS[second]] = _NUMBERS[rule.head]
    return heads


_HEADS = _heads()


def bodies(hops: int) -> list[tuple[int, int]]:
    """Return the bodies of all rules that can be the last merge of `hops` edges."""
    pairs = np.argwhere(_HEADS >= 0).tolist()
    return [(first, second) for first, second in pairs if 2 + _INDIRECT[first] + _INDIRECT[second] <= hops]


class Family:
    """Genealogy with the indices that chain sampling needs."""

    def __init__(self, genealogy: Genealogy) -> None:
        self.genealogy = genealogy
        self.kin = genealogy.kinship()
        self._rows: list[list[int]] = self.kin.tolist()
        self._bridges: dict[tuple[int, int], list[tuple[int, list[int]]]] = {}

    @cached_property
    def pairs(self) -> dict[int, list[tuple[int, int]]]:
        """Pairs of people by the number of their relation."""
        pairs: dict[int, list[tuple[int, int]]] = {number: [] for number in range(len(_NAMES))}
        for source, target in np.argwhere(self.kin >= 0).tolist():
            pairs[self._rows[source][target]].append((source, target))
        return pairs

    @cached_property
    def neighbours(self) -> list[list[int]]:
        """The possible targets of an edge from each person."""
        return [
            [person for person, number in enumerate(row) if number >= 0 and not _INDIRECT[number]] for row in self._rows
        ]

    def relation(self, source: int, target: int) -> str:
        """Return the relation from `source` to `target`."""
        return _NAMES[self._rows[source][target]]

    def indirect(self, source: int, target: int) -> int:
        """Return 1 if no edge carries the relation of two people, else 0."""
        return _INDIRECT[self._rows[source][target]]

    def relatives(self, person: int, relation: int) -> list[int]:
        """Return all people to whom a person has a relation."""
        return [other for other, number in enumerate(self._rows[person]) if number == relation]

    def bridges(self, source: int, target: int) -> list[tuple[int, list[int]]]:
        """Return the people who can be inserted between two relatives.

        Returns:
            For each body, its number of indirect relations and the people.
        """
        if (source, target) not in self._bridges:
            between = np.flatnonzero(_HEADS[self.kin[source], self.kin[:, target]] >= 0).tolist()
            groups: dict[tuple[int, int], list[int]] = {}
            for person in between:
                groups.setdefault((self._rows[source][person], self._rows[person][target]), []).append(person)
            self._bridges[source, target] = [
                (_INDIRECT[first] + _INDIRECT[second], people) for (first, second), people in groups.items()
            ]
        return self._bridges[source, target]

    def descriptor(self, chain: list[int]) -> tuple[str, ...]:
        """Return the relations along a chain of people."""
        return tuple(self.relation(source, target) for source, target in pairwise(chain))


def draw_chain(family: Family, body: tuple[int, int], hops: int, rng: np.random.Generator) -> list[int] | None:
    """Draw a simple chain whose last merge uses a given body.

    Args:
        family: The family.
        body: Relations of the last merge.
        hops: Number of edges.
        rng: Random generator.

    Returns:
        The people along the chain; None if the draw failed.
    """
    first, second = body
    pairs = family.pairs[first]
    if not pairs:
        return None
    source, middle = pairs[rng.integers(len(pairs))]
    ends = [person for person in family.relatives(middle, second) if person != source]
    if not ends:
        return None
    chain = [source, middle, ends[rng.integers(len(ends))]]
    while len(chain) <= hops:
        spare = hops - (len(chain) - 1) - sum(family.indirect(*pair) for pair in pairwise(chain))
        if not _lengthen(family, chain, spare, rng):
            return None
    return chain


def _lengthen(family: Family, chain: list[int], spare: int, rng: np.random.Generator) -> bool:
    """Insert one person at a random position; `spare` edges remain after the expansion of indirect relations."""
    for position in rng.permutation(len(chain) - 1).tolist():
        source, target = chain[position : position + 2]
        limit = spare - 1 + family.indirect(source, target)
        choices = [
            fresh
            for indirect, people in family.bridges(source, target)
            if indirect <= limit and (fresh := [person for person in people if person not in chain])
        ]
        if choices:
            people = choices[rng.integers(len(choices))]
            chain.insert(position + 1, people[rng.integers(len(people))])
            return True
    return False
