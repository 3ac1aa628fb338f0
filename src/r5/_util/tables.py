"""Tables written as they come, a few rows at a time: TSV, CSV, JSON lines or Parquet, by the name of the file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from r5.errors import R5Error, need

__all__ = ["SUFFIXES", "TableWriter", "check_suffix", "table_writer"]

SUFFIXES = (".tsv", ".csv", ".jsonl", ".parquet")
_ROWS = 10_000
"""So many rows are kept before they are written to Parquet."""


class TableWriter(Protocol):
    """Takes rows, each with a value for every column; None stands for nothing."""

    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        """Write rows, or keep them until there are more."""

    def close(self) -> None:
        """Write what is left."""


def check_suffix(path: Path) -> str:
    """The ending of a file's name, which tells the format; an error where it does not."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise R5Error(f"{path}: the name does not tell the format; it must end in one of {', '.join(SUFFIXES)}")
    return suffix


def table_writer(path: Path, stream: BinaryIO, columns: Mapping[str, str]) -> TableWriter:
    """What writes a table with these columns; their types are those of Parquet: string, int64, double ..."""
    suffix = check_suffix(path)
    if suffix == ".parquet":
        return _Parquet(stream, columns)
    return _Lines(stream, columns) if suffix == ".jsonl" else _Text(stream, columns, suffix)


class _Text:
    """A header and a line a row."""

    def __init__(self, stream: BinaryIO, columns: Mapping[str, str], suffix: str) -> None:
        self._stream, self._delimiter = stream, "\t" if suffix == ".tsv" else ","
        self.write([list(columns)])

    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=self._delimiter, lineterminator="\n").writerows(rows)
        self._stream.write(text.getvalue().encode())

    def close(self) -> None:
        self._stream.flush()


class _Lines:
    """An object a row."""

    def __init__(self, stream: BinaryIO, columns: Mapping[str, str]) -> None:
        self._stream, self._columns = stream, list(columns)

    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        items = (dict(zip(self._columns, row, strict=True)) for row in rows)
        self._stream.write("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items).encode())

    def close(self) -> None:
        self._stream.flush()


class _Parquet:
    """The rows in groups."""

    def __init__(self, stream: BinaryIO, columns: Mapping[str, str]) -> None:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise need("pyarrow", "pandas") from None
        fields = [(name, pyarrow.type_for_alias(kind)) for name, kind in columns.items()]
        self._pyarrow, self._schema = pyarrow, pyarrow.schema(fields)
        self._writer = parquet.ParquetWriter(stream, self._schema)
        self._waiting: list[Sequence[Any]] = []

    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        self._waiting += rows
        if len(self._waiting) >= _ROWS:
            self._flush()

    def _flush(self) -> None:
        columns = zip(*self._waiting, strict=True) if self._waiting else ([] for _ in self._schema.names)
        table = self._pyarrow.table(dict(zip(self._schema.names, map(list, columns), strict=True)), self._schema)
        self._writer.write_table(table)
        self._waiting = []

    def close(self) -> None:
        self._flush()
        self._writer.close()
