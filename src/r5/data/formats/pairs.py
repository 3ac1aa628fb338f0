"""Files of entity pairs, read as a stream: TSV, CSV or Parquet, also compressed (.gz, .zst).

A row is source and target. If each example has a graph of its own, a column before them names the example.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from r5._util.files.compression import open_bytes, strip_compression_suffix
from r5.data.formats.tables.columns import ROLES, plain_column
from r5.errors import DataError, need

__all__ = ["PAIR_FORMATS", "Pair", "pair_columns", "read_pairs"]

PAIR_FORMATS = (".tsv", ".csv", ".txt", ".parquet")
_EXAMPLE = {"example", "index", "graph", "number"}
_BATCH_SIZE = 10_000
"""Rows of a Parquet file that are read at a time."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Source and target of a query, by name."""

    line: int
    """Line in the file, counted from 1."""
    source: str
    target: str
    example: str = ""
    """Example whose graph the query is about; empty if there is one graph."""
    problem: str = ""
    """Description of an error in the row; empty for a valid row."""
    answer: str | None = None
    """Correct relation, if known."""


def pair_columns(names: Sequence[object], examples: bool = False) -> tuple[int, ...] | None:
    """Find the columns of a pair by their names.

    Args:
        names: Column names.
        examples: Also find the column of the example.

    Returns:
        Indices of the example (if requested), the source and the target; None if the names are ambiguous.

    >>> pair_columns(["id", "from", "to"]), pair_columns(["Ann", "Tom"])
    ((1, 2), None)

    """
    wanted = [_EXAMPLE] * examples + [ROLES["source"], ROLES["target"]]
    indices = []
    for role in wanted:
        found = [index for index, name in enumerate(names) if plain_column(str(name)) in role]
        if len(found) != 1:
            return None
        indices += found
    return tuple(indices)


def read_pairs(path: str | Path, examples: bool = False) -> Iterator[Pair]:
    """Read the pairs of a file.

    A header has names such as source and target; further columns are ignored.

    Args:
        path: The file.
        examples: The first column, or the column called example, names the example.

    Yields:
        One pair per row; an invalid row has its `problem` set.

    Raises:
        DataError: The file cannot be read or is empty.
    """
    path = Path(path)
    is_table = strip_compression_suffix(path).suffix.lower() == ".parquet"
    rows = _parquet_rows(path) if is_table else _text_rows(path)
    width = 3 if examples else 2
    indices: tuple[int, ...] | None = None
    expected = 0
    for number, (line, fields) in enumerate(rows):
        if number == 0:
            # Single letters name entities more often than columns.
            named = pair_columns(fields, examples) if is_table or all(len(name) > 1 for name in fields) else None
            indices = named or tuple(range(width))
            expected = len(fields) if named else width
            if named or is_table:
                continue
        yield _pair(line, fields, indices or (), expected, examples)
    if not expected:
        raise DataError("is empty", path)


def _pair(line: int, fields: Sequence[Any], indices: Sequence[int], expected: int, examples: bool) -> Pair:
    if len(fields) != expected:
        wanted = "example, source and target" if examples else "source and target"
        return Pair(line, "", "", problem=f"expected {wanted} in {expected} fields, found {len(fields)}")
    chosen = ["" if fields[index] is None else str(fields[index]).strip() for index in indices]
    example, source, target = chosen if examples else ("", *chosen)
    missing = "source" if not source else "target" if not target else "example" if examples and not example else ""
    return Pair(line, source, target, example, f"the {missing} is missing" if missing else "")


def _text_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the non-blank rows with their lines; the first row determines the delimiter, tab or comma."""
    with open_bytes(path) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
        try:
            first = text.readline()
            if "\t" in first or strip_compression_suffix(path).suffix.lower() == ".tsv":
                yield from _tabbed(first, text)
            else:
                yield from _quoted(first, text, path)
        except UnicodeDecodeError:
            raise DataError("is not UTF-8 text", path) from None
        finally:
            text.detach()


def _tabbed(first: str, rest: io.TextIOWrapper) -> Iterator[tuple[int, list[str]]]:
    if first.strip():
        yield 1, first.rstrip("\r\n").split("\t")
    for number, line in enumerate(rest, start=2):
        row = line.rstrip("\r\n")
        if row.strip():
            yield number, row.split("\t")


def _quoted(first: str, rest: io.TextIOWrapper, path: Path) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(_chained(first, rest), strict=True)
    line = 1
    try:
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"is not valid CSV: {error}", path, line) from None


def _chained(first: str, rest: io.TextIOWrapper) -> Iterator[str]:
    yield first
    yield from rest


def _parquet_rows(path: Path) -> Iterator[tuple[int, list[Any]]]:
    """Yield the column names as row 0, then the rows, counted from 1."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise need("pyarrow", "pandas") from None
    with open_bytes(path) as stream:
        source = stream if path.suffix.lower() == ".parquet" else io.BytesIO(stream.read())
        try:
            table = parquet.ParquetFile(source)
            yield 0, list(table.schema_arrow.names)
            line = 0
            for batch in table.iter_batches(_BATCH_SIZE):
                for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    line += 1
                    yield line, list(row)
        except pyarrow.ArrowException as error:
            raise DataError(f"is not a Parquet file: {' '.join(str(error).split())}", path) from None
