"""Derivations drawn in exact fractions, by the same numbers: what the drawing kernels must come to."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tests.oracle.grammar import ExactGrammar, total


def drawn(
    grammar: ExactGrammar, background: list[Fraction], head: int, path: tuple[int, ...], numbers: Iterator[float]
) -> tuple[int, ...]:
    """What one derivation of `head` over a path takes its edges to be.

    All ways in which the head may become two relations are laid out from 0 to 1, each as wide as it is likely, and the
    number says which it is: by where the path is split, first what the background gives and then the rules in order.
    """
    if len(path) == 1:
        return (head,)
    goal = Fraction(next(numbers)) * total(grammar, head, path)
    for cut in range(1, len(path)):
        lefts = [total(grammar, a, path[:cut]) for a in range(grammar.relations)]
        rights = [total(grammar, b, path[cut:]) for b in range(grammar.relations)]
        ways = [(background[head] * x * y, a, b) for a, x in enumerate(lefts) for b, y in enumerate(rights)]
        ways += [
            ((grammar.weights[head, a, b] - background[head]) * x * y, a, b)
            for a, x in enumerate(lefts)
            for b, y in enumerate(rights)
        ]
        for share, a, b in ways:
            if goal < share:
                left = drawn(grammar, background, a, path[:cut], numbers)
                return left + drawn(grammar, background, b, path[cut:], numbers)
            goal -= share
    raise AssertionError("the ways do not add up to the whole")
