"""Descriptors: relation sequences that a rule set merges to a single relation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np

from r5._util.ordering import natural_key
from r5.errors import R5Error
from r5.rules.ruleset import RuleSet

__all__ = ["Descriptors"]

_FEW = 20_000
"""Maximum number of expansions that are enumerated; larger sets are sampled."""
_TRIES = 20
"""Maximum number of draws per requested sequence."""

Descriptor = tuple[int, ...]


class Descriptors:
    """Relation sequences that the binary rules of a set derive; relations are numbered in natural order of names.

    >>> from r5.rules.ruleset import Rule
    >>> rules = RuleSet.of([Rule("c", ("a", "b")), Rule("d", ("b", "a")), Rule("e", ("c", "a")), Rule("f", ("a", "d"))])
    >>> found = Descriptors(rules)
    >>> [found.names[relation] for relation in found.answers((0, 1, 0))]  # two merges of a, b, a
    ['e', 'f']
    """

    def __init__(self, rules: RuleSet) -> None:
        binary = rules.with_body_of(2)
        used = {name for rule in rules for name in (rule.head, *rule.body)}
        self.names = tuple(sorted(used, key=natural_key))
        numbers = {name: number for number, name in enumerate(self.names)}
        self._heads: dict[tuple[int, int], int] = {}
        for rule in binary:
            first, second = (numbers[name] for name in rule.body)
            if self._heads.setdefault((first, second), numbers[rule.head]) != numbers[rule.head]:
                raise R5Error(f"the body {', '.join(rule.body)} has two heads; a world's rules have one head per body")
        if not self._heads:
            raise R5Error("a world needs rules with two relations in the body, and there are none")
        self._trees: list[list[int]] = [[], [1] * len(self.names)]
        self._choices: dict[tuple[int, int], tuple[list[tuple[int, int, int]], list[float]]] = {}
        self._merged: dict[tuple[int, int], int] = {}

    @cached_property
    def _bodies(self) -> list[list[tuple[int, int]]]:
        """Bodies by head."""
        bodies: list[list[tuple[int, int]]] = [[] for _ in self.names]
        for body, head in self._heads.items():
            bodies[head].append(body)
        return bodies

    def answers(self, descriptor: Sequence[int]) -> list[int]:
        """Return all relations that some order of merges of a sequence yields."""
        # cells[start][end] holds the relations of that span as a bit set.
        length = len(descriptor)
        cells = [[0] * (length + 1) for _ in range(length)]
        merged = self._merged
        for start in reversed(range(length)):
            row = cells[start]
            row[start + 1] = 1 << descriptor[start]
            for end in range(start + 2, length + 1):
                found = 0
                for middle in range(start + 1, end):
                    pair = row[middle], cells[middle][end]
                    if pair[0] and pair[1]:
                        found |= merged[pair] if pair in merged else self._merge(*pair)
                row[end] = found
        return _bits(cells[0][length])

    def _merge(self, left: int, right: int) -> int:
        """Return the bit set of heads of all pairs from two bit sets of relations."""
        heads = (self._heads.get((first, second)) for first in _bits(left) for second in _bits(right))
        bits = 0
        for head in heads:
            bits |= 0 if head is None else 1 << head
        self._merged[left, right] = bits
        return bits

    def trees(self, length: int) -> list[int]:
        """Return the number of expansions of each relation to a sequence of a length."""
        while len(self._trees) <= length:
            size = len(self._trees)
            self._trees.append([sum(self._weights(head, size)) for head in range(len(self.names))])
        return self._trees[length]

    def _splits(self, head: int, length: int) -> list[tuple[int, int, int]]:
        """Return the first expansion steps of a relation: two relations and the final length of the left one."""
        return [(first, second, left) for first, second in self._bodies[head] for left in range(1, length)]

    def _weights(self, head: int, length: int) -> list[int]:
        """Return the number of expansions that begin with each of `_splits`."""
        splits = self._splits(head, length)
        return [self._trees[left][first] * self._trees[length - left][second] for first, second, left in splits]

    def draw(self, length: int, rng: np.random.Generator) -> Descriptor:
        """Draw a sequence of a length: first its head, then one of the expansions of the head."""
        heads = [head for head, trees in enumerate(self.trees(length)) if trees]
        pending = [(heads[rng.integers(len(heads))], length)]
        found = []
        while pending:
            head, size = pending.pop()
            if size == 1:
                found.append(head)
                continue
            first, second, left = self._draw_split(head, size, rng)
            pending += [(second, size - left), (first, left)]
        return tuple(found)

    def _draw_split(self, head: int, length: int, rng: np.random.Generator) -> tuple[int, int, int]:
        """Draw one of `_splits` such that all expansions are equally likely."""
        if (head, length) not in self._choices:
            totals = [float(total) for total in accumulate(self._weights(head, length))]
            self._choices[head, length] = self._splits(head, length), totals
        splits, totals = self._choices[head, length]
        return splits[int(np.searchsorted(totals, rng.random() * totals[-1], side="right"))]

    def all(self, length: int) -> list[Descriptor]:
        """Return all distinct sequences of a length, in order."""
        by_size: list[list[set[Descriptor]]] = [[], [{(relation,)} for relation in range(len(self.names))]]
        for size in range(2, length + 1):
            by_size.append(
                [
                    {
                        start + rest
                        for first, second, left in self._splits(head, size)
                        for start in by_size[left][first]
                        for rest in by_size[size - left][second]
                    }
                    for head in range(len(self.names))
                ]
            )
        return sorted(set().union(*by_size[length]))

    def some(self, length: int, wanted: int, rng: np.random.Generator, ambiguous: bool = False) -> list[Descriptor]:
        """Draw distinct sequences of a length.

        Args:
            length: Length of the sequences.
            wanted: Maximum number of sequences.
            rng: Random generator.
            ambiguous: Include sequences with several answers.

        Returns:
            The sequences in random order.
        """
        trees = sum(self.trees(length))
        if trees <= _FEW:
            everything = self.all(length)
            candidates = (everything[place] for place in rng.permutation(len(everything)).tolist())
        else:
            candidates = (self.draw(length, rng) for _ in range(_TRIES * (wanted + 50)))
        found: dict[Descriptor, None] = {}
        for descriptor in candidates:
            if len(found) == wanted:
                break
            if descriptor not in found and (ambiguous or len(self.answers(descriptor)) == 1):
                found[descriptor] = None
        return list(found)


def _bits(number: int) -> list[int]:
    """Return the positions of the set bits."""
    places = []
    while number:
        low = number & -number
        places.append(low.bit_length() - 1)
        number ^= low
    return places
