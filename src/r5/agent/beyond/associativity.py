"""Rules that follow by associativity: a chain of three relations has one meaning in both orders of merging.

Where (a b) c is h through an invented relation for a b, and b c is k, then a k is h. Such rules follow from those in
the memory although no episode has used them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeVar

from r5.agent.memory.rule_memory import Body

__all__ = ["Chain", "Deductions", "HeadScores", "deduce"]

Key = TypeVar("Key")
HeadScores = Mapping[Body, tuple[int, float]]
"""Head and score of each body."""


class Chain(NamedTuple):
    """Three relations that two rules merge into `head`, in one of the two orders."""

    relations: tuple[int, int, int]
    head: int
    left_first: bool
    """True where the first two relations are merged first."""
    weight: float
    """Smaller score of the two rules."""

    @property
    def other_pair(self) -> Body:
        """Pair that the other order merges first."""
        first, middle, last = self.relations
        return (middle, last) if self.left_first else (first, middle)

    @property
    def partner(self) -> int:
        """Relation that the other order merges with the head of the other pair."""
        return self.relations[0] if self.left_first else self.relations[2]


class Deductions(NamedTuple):
    """Deduced heads with the score of the weakest rule used."""

    rules: dict[Body, tuple[int, float]]
    """Rules that follow, for bodies without a rule of at least that score."""
    pairs: dict[tuple[Body, int, bool], tuple[int, float]]
    """Head of a pair without a rule together with a partner; True where the partner is on the right."""


def deduce(rules: HeadScores, known: int, threshold: float) -> Deductions:
    """Return the rules that follow from chains through an invented relation.

    Args:
        rules: Head and score of each body.
        known: m, the number of known relations.
        threshold: Minimum score of the rules used.
    """
    found = Deductions(rules={}, pairs={})
    for chain in _chains(rules, known, threshold):
        head, score = rules.get(chain.other_pair, (-1, 0.0))
        if score < threshold:
            key = (chain.other_pair, chain.partner, not chain.left_first)
            _keep_heavier(found.pairs, key, chain.head, chain.weight)
            continue
        body = (chain.partner, head) if chain.left_first else (head, chain.partner)
        weight = min(chain.weight, score)
        if rules.get(body, (-1, 0.0))[1] < weight:
            _keep_heavier(found.rules, body, chain.head, weight)
    return found


def _chains(rules: HeadScores, known: int, threshold: float) -> Iterator[Chain]:
    """Yield the chains of three relations that are merged through an invented relation."""
    strong = {body: rule for body, rule in rules.items() if rule[1] >= threshold}
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


def _keep_heavier(table: dict[Key, tuple[int, float]], key: Key, head: int, weight: float) -> None:
    """Store a deduced head unless the table has one of at least the same weight."""
    if key not in table or table[key][1] < weight:
        table[key] = (head, weight)
