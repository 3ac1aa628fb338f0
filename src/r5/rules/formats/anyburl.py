"""Rules in AnyBURL's format: predictions, support, confidence and rule, separated by tabs.

AnyBURL has no inverse relations: `mother^-1(X,A)` is written `mother(A,X)`. Heads have the form `h(X,Y)`, `h(X,c)` or
`h(c,Y)`, so that a rule with an inverse head is reversed. Variables are single capital letters. Ambiguous names are in
double quotes, which AnyBURL itself does not support.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from r5.errors import DataError, R5Error
from r5.rules.formats.chains import OtherShapeError, Terms, can_be_inverted, inverted, rule_of_atoms
from r5.rules.formats.text import Atom, AtomReader, check_name, direct_atom, format_name, quote_entity
from r5.rules.rule import Rule

__all__ = ["read_anyburl", "write_anyburl"]

_INNER = "ABCDEFGHIJKLMNOPQRSTUVW"
_MAX_PREDICTIONS = 10**15
_SAME = "me_myself_i"
"""AnyBURL's name of the other variable in the head of a rule about an entity and itself."""


def write_anyburl(rules: Iterable[Rule]) -> str:
    """Write one rule per line; predictions and support are rounded to whole numbers.

    The confidence is the probability or, without one, the score as a share of the highest score. Predictions that
    were not counted are support / confidence. A rule and its reverse with the same statistics are one line.

    >>> rules = [Rule("aunt", ("father", "sister"), probability=0.5, support=3), Rule("son", ("mother^-1",))]
    >>> print(write_anyburl(rules).expandtabs(5), end="")
    6    3    0.5  aunt(X,Y) <= father(X,A), sister(A,Y)
    0    0    0.0  son(X,Y) <= mother(Y,X)
    """
    rules = list(rules)
    top = max([1.0, *(rule.strength for rule in rules)])
    lines = []
    for rule in rules:
        confidence = max(float(rule.strength), 0.0) / top if rule.probability is None else float(rule.probability)
        support = max(rule.support or 0.0, 0.0)
        pairs = rule.predictions
        if pairs is None:
            pairs = min(support / confidence, _MAX_PREDICTIONS) if confidence > 0.0 else support
        lines.append(f"{round(pairs)}\t{round(support)}\t{confidence!r}\t{_rule_text(rule)}\n")
    return "".join(dict.fromkeys(lines))


def read_anyburl(text: str, path: str | Path | None = None, left_out: list[str] | None = None) -> list[Rule]:
    """Parse rules in AnyBURL's format.

    Args:
        text: Lines of rules.
        path: File named in errors.
        left_out: List that receives a line for each rule of another shape than those of `Rule`; without it such a rule
            is an error.

    Raises:
        DataError: A line is invalid.
    """
    rules = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                rules.append(_read_line(line))
            except R5Error as error:
                if left_out is None or not isinstance(error, OtherShapeError):
                    raise DataError(str(error), path, number) from None
                left_out.append(f"line {number}: {error}")
    return rules


def _rule_text(rule: Rule) -> str:
    """Return the text of a rule; a rule with an inverse head is reversed."""
    rule = replace(rule, body=rule.relations or rule.body)
    args = [_entity(rule.ending or "") if arg is None else arg for arg in rule.arguments(_INNER)]
    head = direct_atom(rule.head, "X", "Y" if rule.target is None else _entity(rule.target))
    inverse_head = head[0] != rule.head
    if inverse_head and rule.target is not None:
        head, args = (head[0], head[1], "Y"), ["Y", *args[1:]]
    reverse = inverse_head and rule.target is None and all(map(can_be_inverted, rule.body))
    if reverse:
        head, args = (head[0], "X", "Y"), [*reversed(args)]
    body = [direct_atom(name, args[i], args[i + 1]) for i, name in enumerate(rule.body)]
    if reverse:
        body.reverse()
    return f"{_atom_text(head)} <= {', '.join(map(_atom_text, body))}"


def _entity(name: str) -> str:
    """Return the name of an entity, in quotes if it is ambiguous."""
    bare = re.fullmatch(r'[^\s",()]+', name) and name.isprintable() and not _is_variable(name)
    return name if bare else quote_entity(name)


def _atom_text(atom: Atom) -> str:
    name, first, second = atom
    return f"{format_name(name)}({first},{second})"


def _read_line(line: str) -> Rule:
    """Parse one line."""
    fields = line.split("\t", 3)
    if len(fields) != 4:
        raise R5Error("expected predictions, support, confidence and rule, separated by tabs")
    predictions, support, confidence = map(_number, fields[:3])
    head, body = _read_rule(fields[3])
    if _SAME in (*head[1:], *(argument for _, *arguments in body for argument in arguments)):
        raise OtherShapeError(f"the rule is about an entity and itself ({_SAME})")
    if head[1:] == ("Y", "X"):
        head = (inverted(head[0]), "X", "Y")
    return rule_of_atoms(head, body, _TERMS, probability=confidence, support=support, predictions=predictions)


def _read_rule(text: str) -> tuple[Atom, list[Atom]]:
    """Parse the head and the atoms of the body, which may be empty."""
    reader = AtomReader(text)
    head = reader.atom()
    first, second = head[1:]
    if not reader.sign("<="):
        raise reader.expected("<= after the head")
    body: list[Atom] = []
    if not (reader.at_end() and not (_is_variable(first) and _is_variable(second))):
        body.append(reader.atom())
    while reader.sign(","):
        body.append(reader.atom())
    reader.end()
    return head, body


def _is_variable(argument: str) -> bool:
    return re.fullmatch(r"[A-Z]", argument) is not None


def _is_chain_variable(argument: str) -> bool:
    return re.fullmatch(r"[A-Z][0-9]*", argument) is not None


def _name(argument: str) -> str:
    """Return the entity that an argument names."""
    if not argument.startswith('"'):
        return argument
    try:
        return check_name(json.loads(argument, strict=False))
    except ValueError:
        raise R5Error(f"the name {argument[:40]!r} is not quoted as in JSON") from None


def _number(field: str) -> float:
    """Parse a number; whole numbers stay integers."""
    text = field.strip()
    try:
        number = int(text) if re.fullmatch(r"[0-9]{1,18}", text) else float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise R5Error(f"expected a number, found {text[:40]!r}")
    return number


_TERMS = Terms(_is_variable, _is_chain_variable, _name)
