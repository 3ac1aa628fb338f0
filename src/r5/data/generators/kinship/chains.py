"""Chains of relatives: made as CLUTRR makes its stories, by putting a third person between two, again and again.

Each time, the relation of the two is what the rules make of the two new ones. So each chain can be
merged back, pair by pair, to the relation of its ends, and all that comes up on the way has a name.
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
_HIDDEN = tuple(int(name not in EDGE_RELATIONS) for name in _NAMES)
"""1 for a relation that is never told as an edge: a chain shows it as two edges at least."""


def _heads() -> IntArray:
    """What each pair of relations becomes, by number. The last row and column stand for no relation, -1."""
    heads = np.full((len(_NAMES) + 1, len(_NAMES) + 1), -1, dtype=np.int32)
    for rule in composition_rules():
        first, second = rule.body
        heads[_NUMBERS[first], _NUMBERS[second]] = _NUMBERS[rule.head]
    return heads


_HEADS = _heads()


def bodies(hops: int) -> list[tuple[int, int]]:
    """The bodies of all rules that can be the last to be used when `hops` edges are merged."""
    pairs = np.argwhere(_HEADS >= 0).tolist()
    return [(first, second) for first, second in pairs if 2 + _HIDDEN[first] + _HIDDEN[second] <= hops]


class Family:
    """A genealogy with what it takes to draw chains from it quickly."""

    def __init__(self, genealogy: Genealogy) -> None:
        self.genealogy = genealogy
        self.kin = genealogy.kinship()
        self._rows: list[list[int]] = self.kin.tolist()
        self._bridges: dict[tuple[int, int], list[tuple[int, list[int]]]] = {}

    @cached_property
    def pairs(self) -> dict[int, list[tuple[int, int]]]:
        """The pairs of people who have a relation, by its number."""
        pairs: dict[int, list[tuple[int, int]]] = {number: [] for number in range(len(_NAMES))}
        for source, target in np.argwhere(self.kin >= 0).tolist():
            pairs[self._rows[source][target]].append((source, target))
        return pairs

    @cached_property
    def told(self) -> list[list[int]]:
        """For each person, those to whom an edge may lead."""
        return [
            [person for person, number in enumerate(row) if number >= 0 and not _HIDDEN[number]] for row in self._rows
        ]

    def relation(self, source: int, target: int) -> str:
        """Who `target` is to `source`."""
        return _NAMES[self._rows[source][target]]

    def hidden(self, source: int, target: int) -> int:
        """1 where the relation of the two is never told as an edge, else 0."""
        return _HIDDEN[self._rows[source][target]]

    def relatives(self, person: int, relation: int) -> list[int]:
        """All who are that to the person."""
        return [other for other, number in enumerate(self._rows[person]) if number == relation]

    def bridges(self, source: int, target: int) -> list[tuple[int, list[int]]]:
        """Who can be put between two relatives: for each body, how many of its relations are hidden, and the people."""
        if (source, target) not in self._bridges:
            between = np.flatnonzero(_HEADS[self.kin[source], self.kin[:, target]] >= 0).tolist()
            groups: dict[tuple[int, int], list[int]] = {}
            for person in between:
                groups.setdefault((self._rows[source][person], self._rows[person][target]), []).append(person)
            self._bridges[source, target] = [
                (_HIDDEN[first] + _HIDDEN[second], people) for (first, second), people in groups.items()
            ]
        return self._bridges[source, target]

    def descriptor(self, chain: list[int]) -> tuple[str, ...]:
        """The relations along a chain of people."""
        return tuple(self.relation(source, target) for source, target in pairwise(chain))


def draw_chain(family: Family, body: tuple[int, int], hops: int, rng: np.random.Generator) -> list[int] | None:
    """A chain of so many edges whose last merge is of that body; nobody is on it twice. None where the draw failed."""
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
        spare = hops - (len(chain) - 1) - sum(family.hidden(*pair) for pair in pairwise(chain))
        if not _lengthen(family, chain, spare, rng):
            return None
    return chain


def _lengthen(family: Family, chain: list[int], spare: int, rng: np.random.Generator) -> bool:
    """Put one more person into the chain, somewhere; `spare` edges are left once all hidden ones are replaced."""
    for place in rng.permutation(len(chain) - 1).tolist():
        source, target = chain[place : place + 2]
        limit = spare - 1 + family.hidden(source, target)
        choices = [
            fresh
            for hidden, people in family.bridges(source, target)
            if hidden <= limit and (fresh := [person for person in people if person not in chain])
        ]
        if choices:
            people = choices[rng.integers(len(choices))]
            chain.insert(place + 1, people[rng.integers(len(people))])
            return True
    return False
