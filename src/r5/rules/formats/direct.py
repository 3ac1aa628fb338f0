"""Rules without inverse relations: every atom has its arguments as the facts of a graph have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from r5.rules.formats.text import direct_atom, format_name, quote_entity

if TYPE_CHECKING:
    from r5.rules.rule import Rule

__all__ = ["direct_atoms", "direct_sentence"]


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

    >>> from r5.rules.rule import Rule
    >>> direct_sentence(Rule("aunt", ("mother", "sibling^-1")))
    'aunt(X, Y) <= mother(X, Z), sibling(Y, Z)'
    """
    head, body = direct_atoms(rule)
    return f"{head} <= {', '.join(body) or 'true'}"


def _write(relation: str, first: str, second: str) -> str:
    name, source, target = direct_atom(relation, first, second)
    return f"{format_name(name)}({source}, {target})"
