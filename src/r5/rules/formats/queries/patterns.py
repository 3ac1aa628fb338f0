"""Rules as triple patterns: atoms over variables and constants, each in the direction in which facts are stored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from r5.errors import R5Error
from r5.rules.formats.text import direct_atom
from r5.rules.rule import Rule

__all__ = ["RulePattern", "Term", "TriplePattern", "comment", "refuse_characters", "rule_pattern", "rule_patterns"]


class Term(NamedTuple):
    """Variable or entity of a pattern."""

    name: str
    is_entity: bool = False


class TriplePattern(NamedTuple):
    """Relation between two terms."""

    head: Term
    relation: str
    tail: Term


@dataclass(frozen=True, slots=True)
class RulePattern:
    """Rule without inverse relations and without the dummy relation."""

    rule: Rule
    head: TriplePattern
    body: tuple[TriplePattern, ...]
    """Empty if the rule holds for every entity."""

    @property
    def ends(self) -> tuple[Term, Term]:
        """The two terms of the head, which must differ unless loops are allowed."""
        return self.head.head, self.head.tail


def rule_pattern(rule: Rule) -> RulePattern:
    """Return a rule as patterns; an inverse relation becomes the relation itself with swapped terms.

    Raises:
        R5Error: The rule has alternative heads, none of which follows by itself.

    >>> pattern = rule_pattern(Rule("speaks", ("lives_in", "part_of"), target="English", ending="UK"))
    >>> pattern.body[1]
    TriplePattern(head=Term(name='Z', is_entity=False), relation='part_of', tail=Term(name='UK', is_entity=True))
    >>> rule_pattern(Rule("child", ("mother^-1",))).body[0].head.name
    'Y'
    """
    if rule.possibility is not None:
        raise R5Error(f"rules with alternative heads derive no facts: {rule.sentence()}")
    variables = Rule(rule.head, rule.relations, target=rule.target, ending=rule.ending).arguments()
    terms = [Term(rule.ending or "", True) if name is None else Term(name) for name in variables]
    last = Term("Y") if rule.target is None else Term(rule.target, True)
    body = tuple(_direct(name, terms[i], terms[i + 1]) for i, name in enumerate(rule.relations))
    return RulePattern(rule, _direct(rule.head, Term("X"), last), body)


def rule_patterns(rules: Iterable[Rule]) -> list[RulePattern]:
    """Return each rule as patterns."""
    return [rule_pattern(rule) for rule in rules]


def comment(mark: str, *lines: str) -> str:
    """Return lines of comments that begin with a mark.

    >>> print(comment("--", "one", "two"), end="")
    -- one
    -- two
    """
    return "".join(f"{mark} {line}\n" for line in lines)


def refuse_characters(name: str, characters: str, language: str) -> None:
    """Raise an error if a name holds a character that a language cannot write."""
    for character in characters:
        if character in name:
            raise R5Error(f"{language} cannot write the name {name[:40]!r}: it holds the character {character!r}")


def _direct(relation: str, first: Term, second: Term) -> TriplePattern:
    name, start, _ = direct_atom(relation, "first", "second")
    return TriplePattern(first, name, second) if start == "first" else TriplePattern(second, name, first)
