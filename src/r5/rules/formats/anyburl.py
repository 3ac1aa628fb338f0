"""Rules as AnyBURL writes them: predictions, support, confidence and rule, separated by tabs.

AnyBURL has no inverse relations: `mother^-1(X,A)` is written `mother(A,X)`, and read so. Names that would be
ambiguous stand in double quotes, which AnyBURL itself does not know.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from r5.errors import DataError, R5Error
from r5.relations import inverse_name
from r5.rules.formats.text import Atom, AtomReader, direct_atom, spelled, variables
from r5.rules.rule import Rule

__all__ = ["read_anyburl", "write_anyburl"]

_INNER = "ABCDEFGHIJKLMNOPQRSTUVW"
_MANY = 10**15


def write_anyburl(rules: Iterable[Rule]) -> str:
    """A line a rule. Predictions and support are whole numbers, as AnyBURL wants them.

    The confidence is the probability or, for rules that have none, the score as a share of the highest one.
    Where the predictions were not counted they are as many as the support and the confidence make likely.

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
            pairs = min(support / confidence, _MANY) if confidence else support
        lines.append(f"{round(pairs)}\t{round(support)}\t{confidence!r}\t{_rule_text(rule)}\n")
    return "".join(lines)


def read_anyburl(text: str, path: str | Path | None = None) -> list[Rule]:
    """The rules of such lines; what is wrong is said with its line, and with the path where that is given."""
    rules = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                rules.append(_read_line(line))
            except R5Error as error:
                raise DataError(str(error), path, number) from None
    return rules


def _rule_text(rule: Rule) -> str:
    names = rule.relations or rule.body
    places = variables(len(names), _INNER)
    head = direct_atom(rule.head, "X", "Y")
    body = [direct_atom(name, places[i], places[i + 1]) for i, name in enumerate(names)]
    return f"{_atom_text(head)} <= {', '.join(map(_atom_text, body))}"


def _atom_text(atom: Atom) -> str:
    name, first, second = atom
    return f"{spelled(name)}({first},{second})"


def _read_line(line: str) -> Rule:
    """The rule of one line."""
    fields = line.split("\t", 3)
    if len(fields) != 4:
        raise R5Error("expected predictions, support, confidence and rule, separated by tabs")
    predictions, support, confidence = map(_number, fields[:3])
    reader = AtomReader(fields[3])
    head, first, second = reader.atom()
    if not reader.sign("<="):
        raise reader.expected("<= after the head")
    body = [reader.atom()]
    while reader.sign(","):
        body.append(reader.atom())
    reader.end()
    if (first, second) == ("Y", "X"):
        head, first, second = inverse_name(head), "X", "Y"
    return Rule(head, _chain(first, second, body), confidence, support=support, predictions=predictions)


def _number(field: str) -> float:
    """A figure; whole numbers stay whole."""
    text = field.strip()
    try:
        number = int(text) if re.fullmatch(r"[0-9]{1,18}", text) else float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise R5Error(f"expected a number, found {text[:40]!r}")
    return number


def _chain(first: str, last: str, atoms: Sequence[Atom]) -> tuple[str, ...]:
    """The relations of atoms that lead from the first variable over new ones to the last, in whatever order."""
    for _, *arguments in atoms:
        for argument in arguments:
            if not re.fullmatch(r"[A-Z][0-9]*", argument):
                raise R5Error(
                    f"{argument[:40]!r} is no variable; only rules whose body is a chain of variables are read"
                )
    names, here, left, seen = [], first, list(atoms), {first}
    while left:
        found = next((atom for atom in left if here in atom[1:]), None)
        if found is None:
            break
        left.remove(found)
        name, start, end = found
        names.append(name if here == start else inverse_name(name))
        here = end if here == start else start
        if here in seen:
            break
        seen.add(here)
    if here != last or left or len(seen) != len(names) + 1:
        raise R5Error(f"the body does not lead from {first} to {last} in one chain")
    return tuple(names)
