"""All derivations of a short path, one by one, in exact fractions: what the chart kernels must add up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

Rule = tuple[int, int, int]
"""(head, left, right)"""


@dataclass(frozen=True)
class ExactGrammar:
    """Each rule's whole weight, and emission[head][observed], as fractions."""

    relations: int
    weights: dict[Rule, Fraction]
    emission: list[list[Fraction]]


@dataclass(frozen=True)
class Tree:
    """One derivation: its probability, the rules it uses and what it takes the edges to be."""

    probability: Fraction
    rules: tuple[Rule, ...]
    leaves: tuple[int, ...]


def trees(grammar: ExactGrammar, head: int, path: tuple[int, ...]) -> Iterator[Tree]:
    """Every way in which `head` can become the path."""
    if len(path) == 1:
        yield Tree(grammar.emission[head][path[0]], (), (head,))
        return
    for cut, left, right in product(range(1, len(path)), range(grammar.relations), range(grammar.relations)):
        weight = grammar.weights.get((head, left, right), Fraction(0))
        for first in trees(grammar, left, path[:cut]) if weight else ():
            for second in trees(grammar, right, path[cut:]):
                yield Tree(
                    weight * first.probability * second.probability,
                    ((head, left, right), *first.rules, *second.rules),
                    first.leaves + second.leaves,
                )


def total(grammar: ExactGrammar, head: int, path: tuple[int, ...]) -> Fraction:
    """The probability that `head` becomes the path."""
    return sum((tree.probability for tree in trees(grammar, head, path)), Fraction(0))


def expected(grammar: ExactGrammar, head: int, path: tuple[int, ...]) -> tuple[Counter[Rule], Counter[tuple[int, int]]]:
    """The expected uses of each rule, and of each (true, observed) leaf, given that `head` became the path."""
    rules: Counter[Rule] = Counter()
    leaves: Counter[tuple[int, int]] = Counter()
    whole = total(grammar, head, path)
    for tree in trees(grammar, head, path):
        for rule in tree.rules:
            rules[rule] += tree.probability / whole  # type: ignore[assignment]
        for leaf in zip(tree.leaves, path, strict=True):
            leaves[leaf] += tree.probability / whole  # type: ignore[assignment]
    return rules, leaves
