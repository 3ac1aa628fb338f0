"""Rules as CSV, for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from r5.rules.formats.text import format_body
from r5.rules.rule import Rule

__all__ = ["rule_columns", "write_csv"]

_FIGURES = ("weight", "probability", "score", "possibility", "support", "predictions", "body_probability", "pca")
_COLUMNS = ("head", "body", "target", "ending", *_FIGURES, "invented")


def write_csv(rules: Iterable[Rule]) -> str:
    """Write a header and one rule per line; commas separate the relations of a body within one field.

    >>> print(write_csv([Rule("aunt", ("father", "sister"), probability=0.98, support=412)]), end="")
    head,body,target,ending,weight,probability,score,possibility,support,predictions,body_probability,pca,invented
    aunt,"father, sister",,,,0.98,,,412,,,,false
    """
    lines = io.StringIO(newline="")
    plain = csv.writer(lines, lineterminator="\n")
    careful = csv.writer(lines, lineterminator="\n", quoting=csv.QUOTE_ALL)
    plain.writerow(_COLUMNS)
    for rule in rules:
        body = format_body(rule.body)
        names = (rule.head, body, rule.target, rule.ending)
        figures = [getattr(rule, name) for name in _FIGURES]
        # The csv writer does not quote carriage returns, which end a line for readers.
        writer = careful if any("\r" in (name or "") for name in names) else plain
        writer.writerow([*names, *figures, "true" if rule.invented else "false"])
    return lines.getvalue()


def rule_columns(rules: Iterable[Rule]) -> dict[str, list[Any]]:
    """Return the rules as columns of a data frame, without statistics that no rule has."""
    found = list(rules)
    columns: dict[str, list[Any]] = {
        "head": [rule.head for rule in found],
        "body": [format_body(rule.body) for rule in found],
        "length": [len(rule.body) for rule in found],
    }
    for name in ("target", "ending", *_FIGURES):
        values = [getattr(rule, name) for rule in found]
        if any(value is not None for value in values):
            columns[name] = values
    return {**columns, "invented": [rule.invented for rule in found]}
