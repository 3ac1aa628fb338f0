"""Tables of rules as AMIE prints them: a rule, then its figures, separated by tabs.

A rule is `?a  <child>  ?b  ?b  <sister>  ?c   => ?a  <aunt>  ?c`: atoms of three parts with two blanks between. Terms
that begin with `?` are variables. Lines without `=>`, such as AMIE's log around the table, are passed over.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

from r5.errors import DataError, R5Error
from r5.rules.formats.chains import OtherShapeError, Terms, rule_of_atoms
from r5.rules.formats.text import Atom, check_name
from r5.rules.rule import Rule

__all__ = ["is_amie", "read_amie"]

_ARROW = "=>"
_FIGURES = {
    "head coverage": "body_probability",
    "std confidence": "probability",
    "standard confidence": "probability",
    "pca confidence": "pca",
    "positive examples": "support",
    "support": "support",
    "body size": "predictions",
}
"""Statistic of a rule by the name of its column."""
_COLUMNS = ("rule", "head coverage", "std confidence", "pca confidence", "positive examples", "body size")
"""Columns of a table without a header."""
_ROW = re.compile(r"\s*\?\S+ .*=>.*\t")


def is_amie(text: str) -> bool:
    """Return whether a text has AMIE's header or a rule of AMIE at the start of a line."""
    lines = text[:100_000].split("\n")
    return any(_ROW.match(line) or _columns(line) is not None for line in lines)


def read_amie(text: str, path: str | Path | None = None, left_out: list[str] | None = None) -> list[Rule]:
    r"""Parse the rules of a table.

    Args:
        text: The table, perhaps within AMIE's log.
        path: File named in errors.
        left_out: List that receives a line for each rule of another shape than those of `Rule`; without it such a rule
            is an error.

    Raises:
        DataError: A line is invalid, or there are no rules.

    >>> line = "?b  <child>  ?a  ?b  <sister>  ?c   => ?a  <aunt>  ?c\t0.5\t0.25\t0.4\t3\t12\t7\t?a"
    >>> print(read_amie(line)[0].sentence())
    <aunt>(X, Y) <= <child>^-1(X, Z), <sister>(Z, Y)
    """
    columns: Sequence[str] = _COLUMNS
    rules = []
    for number, line in enumerate(text.split("\n"), start=1):
        if (named := _columns(line)) is not None:
            columns = named
        elif _ARROW in line:
            try:
                rules.append(_read_line(line, columns))
            except R5Error as error:
                if left_out is None or not isinstance(error, OtherShapeError):
                    raise DataError(str(error), path, number) from None
                left_out.append(f"line {number}: {error}")
    if not rules and not left_out:
        raise DataError(f"has no rules with {_ARROW}", path)
    return rules


def _columns(line: str) -> list[str] | None:
    """Return the names of the columns of a header; None for other lines."""
    names = [name.strip().lower() for name in line.split("\t")]
    return names if names[0] == "rule" and "pca confidence" in names else None


def _read_line(line: str, columns: Sequence[str]) -> Rule:
    """Parse a rule and its figures."""
    fields = [field.strip() for field in line.split("\t")]
    figures = {_FIGURES[name]: _number(field) for name, field in zip(columns, fields, strict=False) if name in _FIGURES}
    if missing := [name for name in ("probability", "support") if name not in figures]:
        raise R5Error(f"expected a rule and its figures, separated by tabs; there is no {missing[0]}")
    body, _, head = fields[columns.index("rule")].partition(_ARROW)
    heads = _atoms(head)
    if len(heads) != 1:
        raise R5Error(f"expected one atom after {_ARROW}, found {head.strip()[:40]!r}")
    return rule_of_atoms(heads[0], _atoms(body), _TERMS, **figures)


def _atoms(text: str) -> list[Atom]:
    """Parse atoms of subject, relation and object with two blanks between; with one blank if no name has any."""
    text = text.strip()
    terms = re.split(r"\s{2,}", text) if re.search(r"\s{2,}", text) else text.split()
    if not text or len(terms) % 3:
        raise R5Error(f"expected atoms such as ?a  relation  ?b, found {text[:40]!r}")
    return [(check_name(terms[at + 1]), terms[at], terms[at + 2]) for at in range(0, len(terms), 3)]


def _is_variable(term: str) -> bool:
    return term.startswith("?")


def _number(field: str) -> float:
    """Parse a number; whole numbers become integers."""
    try:
        number = float(field)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise R5Error(f"expected a number, found {field[:40]!r}")
    return int(number) if number.is_integer() and "." not in field else number


_TERMS = Terms(_is_variable, _is_variable, str)
