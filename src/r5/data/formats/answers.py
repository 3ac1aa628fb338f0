"""Files of answers to many queries: TSV, CSV, JSON lines or Parquet, written as answers come."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from r5._util.files.tables import check_suffix, make_table_writer
from r5.data.formats.queries import Query
from r5.derivations.completion import Completion

__all__ = ["COLUMNS", "AnswerWriter", "answer_rows", "answer_writer"]

_TYPES = {
    "query": "int64",
    "head": "string",
    "relation": "string",
    "tail": "string",
    "rank": "int32",
    "entity": "string",
    "probability": "double",
    "share": "double",
    "score": "double",
    "known": "bool",
    "reasons": "string",
}
COLUMNS = tuple(_TYPES)


class AnswerWriter(ABC):
    """Writes the answers to one query after the other."""

    @abstractmethod
    def write(self, number: int, query: Query, answers: Sequence[Completion]) -> None:
        """Write the answers to query `number`, counted from 1, best first."""

    @abstractmethod
    def close(self) -> None:
        """Write the rest."""


def answer_writer(path: Path, stream: BinaryIO) -> AnswerWriter:
    """Return the writer for the suffix of a file name.

    Raises:
        R5Error: The suffix is none of .tsv, .csv, .jsonl and .parquet.
    """
    return _Lines(stream) if check_suffix(path) == ".jsonl" else _Table(path, stream)


def answer_rows(number: int, answers: Sequence[Completion]) -> list[tuple[Any, ...]]:
    """Return one row per answer; reasons are JSON."""
    rows = []
    for place, one in enumerate(answers, start=1):
        reasons = json.dumps([reason.to_json() for reason in one.reasons], ensure_ascii=False) if one.reasons else ""
        figures = (one.probability, one.share, one.score, one.known)
        rows.append((number, *one.fact.to_json(), place, one.entity, *figures, reasons))
    return rows


class _Table(AnswerWriter):
    """One row per answer."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self._writer = make_table_writer(path, stream, _TYPES)

    def write(self, number: int, query: Query, answers: Sequence[Completion]) -> None:
        self._writer.write(answer_rows(number, answers))

    def close(self) -> None:
        self._writer.close()


class _Lines(AnswerWriter):
    """One JSON object per query, also for a query without answers."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, number: int, query: Query, answers: Sequence[Completion]) -> None:
        parts = dict(zip(("head", "relation", "tail"), query, strict=True))
        item = {"query": number, **parts, "answers": [one.to_json() for one in answers]}
        self._stream.write((json.dumps(item, ensure_ascii=False) + "\n").encode())

    def close(self) -> None:
        """Do nothing: every line is written at once."""
