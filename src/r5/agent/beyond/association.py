"""What merging in another order would say: a chain of three relations has one meaning, however it is bracketed.

Where (a b) c is known to be h through an invented relation for a b, and b c is known to be k, then
a k must be h too. Such rules follow from those in the memory though no episode has made them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeVar

__all__ = ["Body", "Chain", "Deductions", "Rules", "deduce", "nothing"]

Key = TypeVar("Key")
Body = tuple[int, int]
Rules = Mapping[Body, tuple[int, float]]
"""Head and score of each body."""


class Chain(NamedTuple):
    """Three relations that the rules merge into `head`, in one of two orders; `weight` is the weaker rule's score."""

    relations: tuple[int, int, int]
    head: int
    left_first: bool
    weight: float

    @property
    def other_pair(self) -> Body:
        """The pair that the other order would merge first."""
        first, middle, last = self.relations
        return (middle, last) if self.left_first else (first, middle)

    @property
    def partner(self) -> int:
        """The relation that the other pair is merged with."""
        return self.relations[0] if self.left_first else self.relations[2]


class Deductions(NamedTuple):
    """What follows for pairs that have no rule of their own."""

    rules: dict[Body, tuple[int, float]]
    """Rules about known pairs, that agree with none in the memory of at least that weight."""
    pairs: dict[tuple[Body, int, bool], tuple[int, float]]
    """What a pair without a rule makes with a partner; True where the partner is to its right."""


def nothing() -> Deductions:
    """No deductions: the order of merging is taken as it was met."""
    return Deductions({}, {})


def deduce(rules: Rules, known: int, least: float) -> Deductions:
    """All that follows from chains through an invented relation whose rules have a score of at least `least`."""
    found = nothing()
    for chain in _chains(rules, known, least):
        head, score = rules.get(chain.other_pair, (-1, 0.0))
        if score < least:
            _keep(found.pairs, (chain.other_pair, chain.partner, not chain.left_first), chain.head, chain.weight)
            continue
        body = (chain.partner, head) if chain.left_first else (head, chain.partner)
        weight = min(chain.weight, score)
        if rules.get(body, (-1, 0.0))[1] < weight:
            _keep(found.rules, body, chain.head, weight)
    return found


def _chains(rules: Rules, known: int, least: float) -> Iterator[Chain]:
    """The chains of three that go through an invented relation."""
    strong = {body: rule for body, rule in rules.items() if rule[1] >= least}
    uses: defaultdict[int, list[tuple[Body, int, float]]] = defaultdict(list)
    for body, (head, score) in strong.items():
        for relation in {relation for relation in body if relation >= known}:
            uses[relation].append((body, head, score))
    for (left, right), (middle, score) in strong.items():
        for (first, second), head, other_score in uses[middle]:
            weight = min(score, other_score)
            if first == middle:
                yield Chain((left, right, second), head, True, weight)
            if second == middle:
                yield Chain((first, left, right), head, False, weight)


def _keep(table: dict[Key, tuple[int, float]], key: Key, head: int, weight: float) -> None:
    """Note what was deduced, unless something heavier was."""
    if key not in table or table[key][1] < weight:
        table[key] = (head, weight)
