"""Disjunction: what a pair of relations leaves possible, `EC(X, Z), TPPI(Z, Y) => DC or EC`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from r5.rules.formats.text import spelled, variables
from r5.rules.rule import Rule

__all__ = ["Disjunction", "TableComparison", "compare_tables", "disjunctions", "joined"]

SEPARATOR = " or "


def joined(names: Iterable[str]) -> str:
    """Several relations of which one holds, as it is written.

    >>> joined(["DC", "EC"])
    'DC or EC'
    """
    return SEPARATOR.join(names)


@dataclass(frozen=True, slots=True)
class Disjunction:
    """The rules of one body, whose heads are alternatives: one of them holds."""

    body: tuple[str, ...]
    rules: tuple[Rule, ...]
    """In the order of the names of their heads, as engines give them."""

    @property
    def heads(self) -> tuple[str, ...]:
        return tuple(rule.head for rule in self.rules)

    @property
    def support(self) -> float:
        """How often the body was seen."""
        return sum(rule.support or 0.0 for rule in self.rules)

    def text(self) -> str:
        """As people write it.

        >>> rules = [Rule("DC", ("EC", "TPPI"), possibility=1.0, support=30),
        ...          Rule("EC", ("EC", "TPPI"), possibility=0.97, support=12)]
        >>> print(disjunctions(rules)[0].text())
        EC(X, Z), TPPI(Z, Y) => DC or EC   possible=1, 0.97 support=42
        """
        places = variables(len(self.body))
        atoms = ", ".join(f"{spelled(name)}({places[i]}, {places[i + 1]})" for i, name in enumerate(self.body))
        figures = ", ".join(f"{rule.possibility:.3g}" for rule in self.rules if rule.possibility is not None)
        support = f" support={self.support:.3g}" if self.support < 1000 else f" support={self.support:.0f}"
        return f"{atoms} => {joined(map(spelled, self.heads))}   possible={figures}{support}"


def disjunctions(rules: Iterable[Rule]) -> list[Disjunction]:
    """The rules that have a possibility, body by body, in the order in which bodies appear."""
    bodies: dict[tuple[str, ...], list[Rule]] = {}
    for rule in rules:
        if rule.possibility is not None:
            bodies.setdefault(rule.body, []).append(rule)
    return [Disjunction(body, tuple(several)) for body, several in bodies.items()]


@dataclass(frozen=True, slots=True)
class TableComparison:
    """A table of compositions beside the true one: in how many pairs it allows just what is true, more, or less."""

    pairs: int
    exact: int
    wide: int
    """Pairs that leave something possible which is not."""
    narrow: int
    """Pairs that exclude something possible."""

    def __str__(self) -> str:
        return f"{self.exact} of {self.pairs} pairs exact, {self.wide} too wide, {self.narrow} too narrow"


def compare_tables(found: Iterable[Rule], wanted: Iterable[Rule]) -> TableComparison:
    """Two composition tables, pair by pair; a pair that `found` says nothing about allows everything.

    >>> true = [Rule("<", ("<", "<")), Rule("<", ("<", "=")), Rule("=", ("=", "="))]
    >>> print(compare_tables([Rule("<", ("<", "<")), Rule("=", ("<", "="))], true))
    1 of 3 pairs exact, 2 too wide, 1 too narrow
    """
    ours, theirs = _by_body(found), _by_body(wanted)
    every = {head for heads in theirs.values() for head in heads}
    pairs = [(ours.get(body, every), heads) for body, heads in theirs.items()]
    return TableComparison(
        len(pairs),
        sum(left == right for left, right in pairs),
        sum(not left <= right for left, right in pairs),
        sum(not left >= right for left, right in pairs),
    )


def _by_body(rules: Iterable[Rule]) -> dict[tuple[str, ...], set[str]]:
    bodies: dict[tuple[str, ...], set[str]] = {}
    for rule in rules:
        bodies.setdefault(rule.body, set()).add(rule.head)
    return bodies
