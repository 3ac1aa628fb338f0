"""Tables of every format read back as they were written."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from r5._util.files.tables import SUFFIXES, make_table_writer
from r5.errors import R5Error

COLUMNS = {"name": "string", "number": "int64", "share": "double"}
ROWS = [("a\tb", 1, 0.5), ('"c"', None, None), ("ü,\n", 3, 1e-9)]


def written(suffix: str) -> bytes:
    stream = io.BytesIO()
    writer = make_table_writer(Path(f"table{suffix}"), stream, COLUMNS)
    writer.write(ROWS[:1])
    writer.write(ROWS[1:])
    writer.close()
    return stream.getvalue()


@pytest.mark.parametrize(("suffix", "delimiter"), [(".tsv", "\t"), (".csv", ",")])
def test_text_reads_back(suffix: str, delimiter: str) -> None:
    header, *rows = csv.reader(io.StringIO(written(suffix).decode(), newline=""), delimiter=delimiter)
    assert header == list(COLUMNS)
    assert rows == [["" if value is None else str(value) for value in row] for row in ROWS]


def test_json_lines_read_back() -> None:
    items = [json.loads(line) for line in written(".jsonl").decode().splitlines()]
    assert items == [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]


def test_parquet_reads_back(monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("r5._util.files.tables._ROW_GROUP", 2)
    table = parquet.read_table(io.BytesIO(written(".parquet")))
    assert table.to_pylist() == [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]
    assert [str(kind) for kind in table.schema.types] == ["string", "int64", "double"]


def test_an_unknown_suffix_is_refused() -> None:
    with pytest.raises(R5Error, match=r"must end in one of \.tsv, \.csv, \.jsonl, \.parquet"):
        make_table_writer(Path("answers.xlsx"), io.BytesIO(), COLUMNS)
    assert len(SUFFIXES) == 4
