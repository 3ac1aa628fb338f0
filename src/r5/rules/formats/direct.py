"""Rules without inverse relations: every atom has its arguments as the facts of a graph have them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from r5.relations import inverse_name
from r5.rules.formats.text import direct_atom, format_name, quote_entity

if TYPE_CHECKING:
    from r5.rules.rule import Rule

__all__ = ["direct_atoms", "direct_sentence", "direct_text", "mirror"]


def direct_atoms(rule: Rule) -> tuple[str, tuple[str, ...]]:
    """Return the head and the atoms of the body in stored direction; the dummy relation of a unary rule is left out.

    >>> from r5.rules.rule import Rule
    >>> direct_atoms(Rule("speaks^-1", ("part_of^-1",), target="English", ending="UK"))
    ('speaks("English", X)', ('part_of("UK", X)',))
    """
    ends = [quote_entity(rule.ending or "") if name is None else name for name in rule.arguments()]
    last = "Y" if rule.target is None else quote_entity(rule.target)
    count = len(rule.relations)
    ends[count:] = ends[-1:]
    body = (_write(name, ends[place], ends[place + 1]) for place, name in enumerate(rule.relations))
    return _write(rule.head, "X", last), tuple(body)


def direct_sentence(rule: Rule) -> str:
    """Return the rule in stored direction; an empty body is written `true`.

    A chain rule for an inverse relation is read from its other end.

    >>> from r5.rules.rule import Rule
    >>> direct_sentence(Rule("aunt", ("mother", "sibling^-1")))
    'aunt(X, Y) <= mother(X, Z), sibling(Y, Z)'
    >>> direct_sentence(Rule("works_in^-1", ("located_in^-1", "works_at^-1")))
    'works_in(X, Y) <= works_at(X, Z), located_in(Z, Y)'
    """
    turned = rule.target is None and direct_atom(rule.head, "X", "Y")[0] != rule.head
    head, body = direct_atoms(mirror(rule) if turned else rule)
    return f"{head} <= {', '.join(body) or 'true'}"


def direct_text(rule: Rule) -> str:
    """Return the rule in stored direction, with its statistics.

    >>> from r5.rules.rule import Rule
    >>> direct_text(Rule("aunt", ("mother", "sibling^-1"), probability=0.98))
    'aunt(X, Y) <= mother(X, Z), sibling(Y, Z)   p=0.98'
    """
    return direct_sentence(rule) + (f"   {rule.figures()}" if rule.figures() else "")


def mirror(rule: Rule) -> Rule:
    """Return a chain rule read from its other end, a rule for the inverse relation."""
    return replace(rule, head=inverse_name(rule.head), body=tuple(map(inverse_name, reversed(rule.relations))))


def _write(relation: str, first: str, second: str) -> str:
    name, source, target = direct_atom(relation, first, second)
    return f"{format_name(name)}({source}, {target})"
