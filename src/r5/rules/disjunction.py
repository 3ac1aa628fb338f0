"""Disjunctive rules: a body with alternative heads, `EC(X, Z), TPPI(Z, Y) => DC or EC`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from r5.rules.formats.text import format_name, variables
from r5.rules.rule import Rule

__all__ = ["Disjunction", "TableComparison", "compare_tables", "disjunctions", "joined"]

SEPARATOR = " or "


def joined(names: Iterable[str]) -> str:
    """Join alternative relations with `or`.

    >>> joined(["DC", "EC"])
    'DC or EC'
    """
    return SEPARATOR.join(names)


@dataclass(frozen=True, slots=True)
class Disjunction:
    """Rules of one body with alternative heads, of which one holds."""

    body: tuple[str, ...]
    rules: tuple[Rule, ...]
    """One rule per head."""

    @property
    def heads(self) -> tuple[str, ...]:
        return tuple(rule.head for rule in self.rules)

    @property
    def support(self) -> float:
        """The total support of the rules."""
        return sum(rule.support or 0.0 for rule in self.rules)

    def text(self) -> str:
        """Return the disjunction with variables and statistics.

        >>> rules = [Rule("DC", ("EC", "TPPI"), possibility=1.0, support=30),
        ...          Rule("EC", ("EC", "TPPI"), possibility=0.97, support=12)]
        >>> print(disjunctions(rules)[0].text())
        EC(X, Z), TPPI(Z, Y) => DC or EC   possible=1, 0.97 support=42
        """
        places = variables(len(self.body))
        atoms = ", ".join(f"{format_name(name)}({places[i]}, {places[i + 1]})" for i, name in enumerate(self.body))
        figures = ", ".join(f"{rule.possibility:.3g}" for rule in self.rules if rule.possibility is not None)
        support = f" support={self.support:.3g}" if self.support < 1000 else f" support={self.support:.0f}"
        return f"{atoms} => {joined(map(format_name, self.heads))}   possible={figures}{support}"


def disjunctions(rules: Iterable[Rule]) -> list[Disjunction]:
    """Group the rules that have a possibility by body, in order of appearance."""
    bodies: dict[tuple[str, ...], list[Rule]] = {}
    for rule in rules:
        if rule.possibility is not None:
            bodies.setdefault(rule.body, []).append(rule)
    return [Disjunction(body, tuple(several)) for body, several in bodies.items()]


@dataclass(frozen=True, slots=True)
class TableComparison:
    """Comparison of a composition table with the true one, over pairs of relations."""

    pairs: int
    """Number of pairs in the true table."""
    exact: int
    """Number of pairs with the true compositions."""
    wide: int
    """Number of pairs that allow a wrong composition."""
    narrow: int
    """Number of pairs that exclude a true composition."""

    def __str__(self) -> str:
        return f"{self.exact} of {self.pairs} pairs exact, {self.wide} too wide, {self.narrow} too narrow"


def compare_tables(found: Iterable[Rule], wanted: Iterable[Rule]) -> TableComparison:
    """Compare two composition tables pair by pair.

    Args:
        found: Rules of the found table; a missing pair allows every relation.
        wanted: Rules of the true table.

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
