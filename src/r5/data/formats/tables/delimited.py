"""Delimited text (TSV, CSV ...): rows of names, with detection of delimiter and header."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from pathlib import Path

from r5._util.files.reading import read_text
from r5._util.text import abbreviate
from r5.data.formats.tables.columns import ROLES, Triple, check_columns, choose_columns
from r5.data.formats.tables.header import is_header, looks_like_header
from r5.data.formats.tables.table import Table, describe_columns, unused_columns
from r5.errors import DataError, R5Error

__all__ = ["DELIMITERS", "read_delimited", "read_facts", "read_records"]

DELIMITERS = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "pipe", " ": "blanks"}
"""Detected delimiters; a space stands for any run of spaces and tabs."""
_NUMBER = re.compile(r"[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?", re.ASCII)
PROBE = 100
"""Number of rows for the detection of the delimiter."""

Record = tuple[int, list[str]]
"""First line of a row (from 1) and its fields."""


def read_delimited(
    path: str | Path,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    columns: Sequence[str | int] | None = None,
) -> Table:
    """Read the triples of a text file.

    Args:
        path: The file.
        delimiter: One character; detected by default.
        header: The first row names the columns; detected by default.
        columns: Names or indices of the source, relation and target columns.

    Returns:
        The triples in order; with a suspicion if the first row looks like a header of unknown names.

    Raises:
        DataError: The file is invalid; the message names the line.
        R5Error: An option is invalid.
    """
    path = Path(path)
    if header not in (None, True, False):
        raise R5Error(f"header must be true or false, not {header!r}")
    if columns is not None:
        check_columns(columns)
    records, delimiter = _read(path, delimiter, _Layout(like_first=columns is not None))
    first_line, first = records[0]
    named = header
    if named is None:
        named = any(isinstance(column, str) for column in columns or ()) or is_header(first, records)
    try:
        indices = choose_columns(first if named else range(len(first)), columns)
    except R5Error as error:
        raise DataError(str(error), path, first_line) from None
    pick = itemgetter(*indices)
    triples: list[Triple] = []
    for line, fields in records[1:] if named else records:
        triple = pick(fields)
        if "" in triple:
            raise DataError(f"the {list(ROLES)[triple.index('')]} is missing", path, line)
        triples.append(triple)
    if not triples:
        raise DataError("holds a header and no triples", path)
    suspicion = None
    if header is None and not named and looks_like_header(triples):
        suspicion = DataError(
            f"{', '.join(triples[0])} occur in no other line: is it a header? header=true or header=false "
            "(--load header=true) tells",
            path,
            first_line,
        )
    layout = f"{DELIMITERS.get(delimiter, repr(delimiter))}-separated, {'header' if named else 'no header'}"
    names = first if named else [str(place) for place in range(1, len(first) + 1)]
    if named or indices != (0, 1, 2):
        layout += f", {describe_columns(names, indices)}"
    return Table(triples, layout, unused_columns(names, indices), suspicion)


def read_facts(
    path: str | Path, *, delimiter: str | None = None, header: bool | None = None
) -> list[tuple[str, list[str]]]:
    """Read the facts of a text file, for `Graph.from_facts`.

    Args:
        path: File of rows relation, argument, argument ...
        delimiter: One character; detected by default.
        header: The first row names the columns.

    Returns:
        Pairs of a relation and its arguments.

    Raises:
        DataError: The file is invalid; the message names the line.
    """
    records, _ = _read(Path(path), delimiter, _Layout(ragged=True))
    facts = records[1:] if header else records
    if not facts:
        raise DataError("holds a header and no facts", path)
    for line, fields in facts:
        if not all(fields):
            raise DataError("the relation or one of its arguments is missing", path, line)
    return [(fields[0], fields[1:]) for _, fields in facts]


def read_records(path: Path, delimiter: str) -> list[Record]:
    """Return the non-blank rows of a text file, each with the number of its first line.

    Raises:
        DataError: The file is empty or invalid.
    """
    records = list(_records(read_text(path), delimiter, path))
    if not records:
        raise DataError("holds no names", path)
    return records


@dataclass(frozen=True, slots=True)
class _Layout:
    """Expected number of fields of a row: three by default."""

    like_first: bool = False
    """The first row determines the number."""
    ragged: bool = False
    """Rows have three or more fields."""

    def width(self, first: Sequence[str]) -> int:
        """Return the expected number of fields, given the first row."""
        return max(len(first), 3) if self.like_first or is_header(first) else 3

    def allows(self, fields: Sequence[str], width: int) -> bool:
        """Return whether a row has the expected number of fields."""
        return len(fields) >= 3 if self.ragged else len(fields) == width


def _read(path: Path, delimiter: str | None, layout: _Layout) -> tuple[list[Record], str]:
    """Read all rows and check their numbers of fields; return them and the delimiter."""
    text = read_text(path)
    if not text.strip():
        raise DataError("is empty", path)
    if delimiter is None:
        delimiter = _find_delimiter(text, path, layout)
    elif not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\n\r':
        raise R5Error(f"a delimiter must be one character, not a quote or a line end; found {delimiter!r}")
    records = list(_records(text, delimiter, path))
    if not records:
        raise DataError("holds no names", path)
    width = layout.width(records[0][1])
    for line, fields in records:
        if not layout.allows(fields, width):
            row = text.split("\n")[line - 1]
            raise DataError(_width_error(row, len(fields), delimiter, width), path, line)
    return records, delimiter


def _records(text: str, delimiter: str, path: Path) -> Iterator[Record]:
    """Yield the non-blank rows with stripped fields; quotes have no meaning with tabs or blanks as delimiters."""
    if delimiter in "\t " or '"' not in text:
        for line, row in enumerate(text.split("\n"), start=1):
            if row.strip():
                yield line, [field.strip() for field in _split(row, delimiter)]
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True)
    line = 1
    try:
        for raw in reader:
            fields = [field.strip() for field in raw]
            if len(fields) > 1 or any(fields):
                yield line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"is not valid CSV: {error}", path, line) from None


def _split(row: str, delimiter: str) -> list[str]:
    """Split a row without quotes."""
    return re.split(r"[ \t]+", row.strip(" \t")) if delimiter == " " else row.split(delimiter)


def _find_delimiter(text: str, path: Path, layout: _Layout) -> str:
    """Return the delimiter that gives most of the first rows the expected number of fields.

    Blanks are a delimiter only if no other one occurs in half of the rows, because names may contain spaces.
    """
    numbered = ((number, row) for number, row in enumerate(text.split("\n"), start=1) if row.strip())
    first_rows = list(islice(numbered, PROBE))
    marks = [mark for mark in DELIMITERS if mark != " "]
    if not any(2 * sum(mark in row for _, row in first_rows) >= len(first_rows) for mark in marks):
        marks.append(" ")
    fits = {mark: _fit(text, mark, path, layout) for mark in marks}
    best = max(marks, key=lambda mark: fits[mark])
    if not fits[best]:
        line, row = first_rows[0]
        kind = "relation, argument, argument ..." if layout.ragged else "source, relation, target"
        names = ", ".join(DELIMITERS.values())
        if (mark := _weighted(first_rows)) is not None and not layout.ragged:
            raise DataError(
                f"4 columns separated by {DELIMITERS[mark]}, the last of them numbers: {abbreviate(row)}; weights are "
                'not used: columns=[0,1,2] (--load "columns=[0,1,2]") reads the first three',
                path,
                line,
            )
        raise DataError(f"expected {kind}, separated by one of {names}; found {abbreviate(row)}", path, line)
    return best


def _weighted(rows: Sequence[tuple[int, str]]) -> str | None:
    """Return the delimiter that gives all rows four fields, the last a number; None if there is none."""
    for mark in DELIMITERS:
        fields = [_split(row, mark) for _, row in rows]
        if all(len(row) == 4 and _NUMBER.fullmatch(row[3].strip()) for row in fields):
            return mark
    return None


def _fit(text: str, delimiter: str, path: Path, layout: _Layout) -> int:
    """Return the number of first rows with the expected number of fields for a delimiter."""
    width = fits = 0
    try:
        for _, fields in islice(_records(text, delimiter, path), PROBE):
            width = width or layout.width(fields)
            fits += layout.allows(fields, width)
    except DataError:
        pass  # reported when the file is read with this delimiter
    return fits


def _width_error(row: str, count: int, delimiter: str, width: int) -> str:
    """Return the error message for a row with too few or too many fields."""
    used = DELIMITERS.get(delimiter, repr(delimiter))
    if count == 1:
        for other, name in DELIMITERS.items():
            if other != delimiter and len(_split(row, other)) == width:
                return f"mixed delimiters: {name} here, {used} elsewhere"
    hint = "; columns=(source, relation, target) chooses among more" if count > width else ""
    found = "1 column" if count == 1 else f"{count} columns"
    return f"{found} where {width} were expected, separated by {used}: {abbreviate(row)}{hint}"
