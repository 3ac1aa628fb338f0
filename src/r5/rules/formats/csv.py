"""Rules as CSV, for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from r5.errors import DataError, R5Error
from r5.rules.formats.json import rule_from_json
from r5.rules.formats.text import format_body, read_body
from r5.rules.rule import Rule

__all__ = ["is_csv", "read_csv", "rule_columns", "write_csv"]

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


def is_csv(text: str) -> bool:
    """Return whether a text has the header of `write_csv`, perhaps with some of its columns only."""
    return text.lstrip("\ufeff").startswith("head,body,")


def read_csv(text: str, path: str | Path | None = None) -> list[Rule]:
    """Parse rules with a header; columns other than those of `write_csv` are ignored.

    Args:
        text: The CSV text.
        path: File named in errors.

    Raises:
        DataError: A row is invalid.
    """
    reader = csv.DictReader(io.StringIO(text.lstrip("\ufeff"), newline=""), strict=True)
    rules: list[Rule] = []
    line = 2
    try:
        for row in reader:
            rules.append(_rule(row))
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"is not valid CSV: {error}", path, line) from None
    except R5Error as error:
        raise DataError(str(error), path, line) from None
    return rules


def _rule(row: Mapping[str | None, Any]) -> Rule:
    """Convert a row to a rule."""
    if None in row or None in row.values():
        raise R5Error("has another number of columns than the header")
    body = row["body"]
    item: dict[str, Any] = {
        "head": row["head"],
        "body": list(read_body(body)) if body else [],
        "invented": row.get("invented") == "true",
    }
    item |= {name: row[name] for name in ("target", "ending") if row.get(name)}
    for name in _FIGURES:
        if field := row.get(name):
            try:
                item[name] = int(field) if field.isascii() and field.isdecimal() else float(field)
            except ValueError:
                raise R5Error(f"expected a number in the column {name}, found {field[:40]!r}") from None
    return rule_from_json(item)


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
