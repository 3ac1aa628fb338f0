"""Row-wise writing of tables: TSV, CSV, JSON lines or Parquet, by the suffix of the file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from r5.errors import R5Error, need

__all__ = ["SUFFIXES", "TableWriter", "check_suffix", "make_table_writer"]

SUFFIXES = (".tsv", ".csv", ".jsonl", ".parquet")
_ROW_GROUP = 10_000
"""Rows per row group of Parquet."""


class TableWriter(Protocol):
    """Writer of rows with a value for every column; None is a missing value."""

    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        """Write rows; they may be buffered."""

    def close(self) -> None:
        """Write buffered rows and finish the table."""


def check_suffix(path: Path) -> str:
    """Return the suffix of a file, which determines the format.

    Raises:
        R5Error: No format has this suffix.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise R5Error(f"{path}: the name does not tell the format; it must end in one of {', '.join(SUFFIXES)}")
    return suffix


def make_table_writer(path: Path, stream: BinaryIO, columns: Mapping[str, str]) -> TableWriter:
    """Return the writer of a table.

    Args:
        path: File of the table; its suffix determines the format.
        stream: Open stream of the file.
        columns: Type of each column, in the words of Parquet: string, int64, double ...
    """
    suffix = check_suffix(path)
    if suffix == ".parquet":
        return _ParquetWriter(stream, columns)
    return _JsonLinesWriter(stream, columns) if suffix == ".jsonl" else _DelimitedWriter(stream, columns, suffix)


class _DelimitedWriter:
    """Header and one line per row."""

    def __init__(self, stream: BinaryIO, columns: Mapping[str, str], suffix: str) -> None:
        self._stream, self._delimiter = stream, "\t" if suffix == ".tsv" else ","
        self.write([list(columns)])

    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=self._delimiter, lineterminator="\n").writerows(rows)
        self._stream.write(text.getvalue().encode())

    def close(self) -> None:
        self._stream.flush()


class _JsonLinesWriter:
    """One JSON object per row."""

    def __init__(self, stream: BinaryIO, columns: Mapping[str, str]) -> None:
        self._stream, self._columns = stream, list(columns)

    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        items = (dict(zip(self._columns, row, strict=True)) for row in rows)
        self._stream.write("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items).encode())

    def close(self) -> None:
        self._stream.flush()


class _ParquetWriter:
    """Parquet in row groups."""

    def __init__(self, stream: BinaryIO, columns: Mapping[str, str]) -> None:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise need("pyarrow", "pandas") from None
        fields = [(name, pyarrow.type_for_alias(kind)) for name, kind in columns.items()]
        self._pyarrow, self._schema = pyarrow, pyarrow.schema(fields)
        self._writer = parquet.ParquetWriter(stream, self._schema)
        self._buffer: list[Sequence[Any]] = []

    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        self._buffer += rows
        if len(self._buffer) >= _ROW_GROUP:
            self._flush()

    def _flush(self) -> None:
        columns = zip(*self._buffer, strict=True) if self._buffer else ([] for _ in self._schema.names)
        table = self._pyarrow.table(dict(zip(self._schema.names, map(list, columns), strict=True)), self._schema)
        self._writer.write_table(table)
        self._buffer = []

    def close(self) -> None:
        self._flush()
        self._writer.close()
