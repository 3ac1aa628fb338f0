"""Answers to many questions as a file: TSV, CSV, JSON lines or Parquet, written as they come."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from r5.chains.completion import Completion
from r5.chains.questions import Question
from r5.errors import R5Error, need

__all__ = ["COLUMNS", "SUFFIXES", "AnswerWriter", "answer_writer"]

COLUMNS = ("question", "head", "relation", "tail", "rank", "entity", "probability", "score", "reasons")
SUFFIXES = (".tsv", ".csv", ".jsonl", ".parquet")
_ROWS = 10_000
"""So many rows are kept before they are written to Parquet."""


class AnswerWriter:
    """Writes the answers to one question after the other."""

    def write(self, number: int, question: Question, answers: Sequence[Completion]) -> None:
        """Write the answers to question `number`, counted from 1, best first."""
        raise NotImplementedError

    def close(self) -> None:
        """Write what is left."""


def answer_writer(path: Path, stream: BinaryIO) -> AnswerWriter:
    """The writer for a file's name; one that does not tell the format is refused."""
    suffix = path.suffix.lower()
    if suffix in (".tsv", ".csv"):
        return _Table(stream, "\t" if suffix == ".tsv" else ",")
    if suffix == ".jsonl":
        return _Lines(stream)
    if suffix == ".parquet":
        return _Parquet(stream)
    raise R5Error(f"{path}: the name does not tell the format; it must end in one of {', '.join(SUFFIXES)}")


def _rows(number: int, answers: Sequence[Completion]) -> list[tuple[Any, ...]]:
    """A row an answer; the reasons, where there are any, as JSON."""
    rows = []
    for place, one in enumerate(answers, start=1):
        reasons = json.dumps([reason.to_json() for reason in one.reasons], ensure_ascii=False) if one.reasons else ""
        rows.append((number, *one.fact.to_json(), place, one.entity, one.probability, one.score, reasons))
    return rows


class _Table(AnswerWriter):
    """A header and a line an answer."""

    def __init__(self, stream: BinaryIO, delimiter: str) -> None:
        self._stream, self._delimiter = stream, delimiter
        self._put([COLUMNS])

    def write(self, number: int, question: Question, answers: Sequence[Completion]) -> None:
        self._put(_rows(number, answers))

    def _put(self, rows: Sequence[Sequence[Any]]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=self._delimiter, lineterminator="\n").writerows(rows)
        self._stream.write(text.getvalue().encode())


class _Lines(AnswerWriter):
    """An object a question, also where there is no answer."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, number: int, question: Question, answers: Sequence[Completion]) -> None:
        asked = dict(zip(("head", "relation", "tail"), question, strict=True))
        item = {"question": number, **asked, "answers": [one.to_json() for one in answers]}
        self._stream.write((json.dumps(item, ensure_ascii=False) + "\n").encode())


class _Parquet(AnswerWriter):
    """The rows of the table in groups."""

    def __init__(self, stream: BinaryIO) -> None:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise need("pyarrow", "pandas") from None
        kinds = {"question": "int64", "rank": "int32", "probability": "float64", "score": "float64"}
        fields = [(name, getattr(pyarrow, kinds.get(name, "string"))()) for name in COLUMNS]
        self._pyarrow, self._schema = pyarrow, pyarrow.schema(fields)
        self._writer = parquet.ParquetWriter(stream, self._schema)
        self._waiting: list[tuple[Any, ...]] = []

    def write(self, number: int, question: Question, answers: Sequence[Completion]) -> None:
        self._waiting += _rows(number, answers)
        if len(self._waiting) >= _ROWS:
            self._flush()

    def _flush(self) -> None:
        columns = zip(*self._waiting, strict=True) if self._waiting else ([] for _ in COLUMNS)
        table = self._pyarrow.table(dict(zip(COLUMNS, map(list, columns), strict=True)), schema=self._schema)
        self._writer.write_table(table)
        self._waiting = []

    def close(self) -> None:
        self._flush()
        self._writer.close()
