"""Rules as people read them, read back: `aunt(X, Y) <= father(X, Z), sister(Z, Y)   p=0.98 support=412`.

Figures are those that the text shows, which are rounded: JSON and CSV keep them exactly.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from r5.errors import DataError, R5Error
from r5.rules.formats.chains import Terms, rule_of_atoms
from r5.rules.formats.text import Atom, AtomReader, check_name
from r5.rules.rule import Rule

__all__ = ["is_sentences", "read_sentences"]

_FIGURES = {
    "weight": "weight",
    "confidence": "probability",
    "p": "probability",
    "score": "score",
    "support": "support",
    "coverage": "body_probability",
    "pca": "pca",
}
"""Statistic of a rule by its name in the text."""
_SENTENCE = re.compile(r'[^\t]*\(X, (?:Y|".*")\) <= ')
_TRUE = "true"


def is_sentences(text: str) -> bool:
    """Return whether the first line of a text is a rule."""
    return _SENTENCE.match(text.lstrip().partition("\n")[0]) is not None


def read_sentences(text: str, path: str | Path | None = None) -> list[Rule]:
    """Parse rules, one per line.

    Args:
        text: The lines.
        path: File named in errors.

    Raises:
        DataError: A line is invalid.

    >>> print(*read_sentences('speaks(X, "English") <= lives_in(X, Z), part_of(Z, "UK")   p=0.5 support=3'))
    speaks(X, "English") <= lives_in(X, Z), part_of(Z, "UK")
    """
    rules = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                rules.append(_read_line(line))
            except R5Error as error:
                raise DataError(str(error), path, number) from None
    return rules


def _read_line(line: str) -> Rule:
    """Parse a rule and its figures."""
    reader = AtomReader(line)
    head = reader.atom()
    if not reader.sign("<="):
        raise reader.expected("<= after the head")
    body: list[Atom] = []
    if head[2] == "Y" or not reader.word(_TRUE):
        body.append(reader.atom())
        while reader.sign(","):
            body.append(reader.atom())
    figures: dict[str, float] = {}
    while not reader.at_end():
        key, value = reader.figure()
        if key not in _FIGURES:
            raise R5Error(f"expected figures such as p=0.5 support=3, found {key[:40]!r}")
        figures[_FIGURES[key]] = value
    return rule_of_atoms(head, body, _TERMS, **figures)


def _is_variable(argument: str) -> bool:
    return re.fullmatch(r"[A-Z][0-9]*", argument) is not None


def _name(argument: str) -> str:
    """Return the entity of a quoted argument."""
    try:
        return check_name(json.loads(argument, strict=False))
    except ValueError:
        raise R5Error(f"expected a variable or a name in double quotes, found {argument[:40]!r}") from None


_TERMS = Terms(_is_variable, _is_variable, _name)
