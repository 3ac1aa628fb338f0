"""Files of paths: JSON lines and Parquet say the same, and what is no query is told with its line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from r5.data.path_shards import PathExample, PathShards, is_shards, read_path_examples
from r5.errors import DataError

ROWS = [
    {"path": ["father", "mother"], "answer": "grandmother"},
    {"paths": [["b", "a"], ["a"], ["b", "a"]], "answer": "c", "weight": 2},
]
QUESTIONS = [
    PathExample((("father", "mother"),), "grandmother"),
    PathExample((("a",), ("b", "a")), "c", 2.0),
]


def test_all_formats_give_the_same_triples(tmp_path: Path) -> None:
    folder = tmp_path / "train.paths"
    folder.mkdir()
    text = "".join(json.dumps(row) + "\n" for row in ROWS)
    (folder / "b.jsonl").write_text("\ufeff" + text + "\n", encoding="utf-8")
    (folder / "c.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    parquet.write_table(pyarrow.Table.from_pylist(ROWS, schema=None), folder / "a.parquet")
    table = pyarrow.table(
        {"path": [["father", "mother"], None], "paths": [None, ROWS[1]["paths"]], "answer": ["grandmother", "c"],
         "weight": [1.0, 2.0]}
    )  # fmt: skip
    parquet.write_table(table, folder / "a.parquet")
    (folder / "notes.txt").write_text("")
    assert is_shards(folder)
    assert not is_shards(tmp_path)
    shards = PathShards.of(folder)
    assert [file.name for file in shards.files] == ["a.parquet", "b.jsonl", "c.jsonl.gz"]
    assert [list(read_path_examples(file)) for file in shards.files] == [QUESTIONS] * 3


@pytest.mark.parametrize(
    "line",
    ['{"path": "father mother", "answer": "x"}', '{"path": ["a"]}', '{"paths": [], "answer": "x"}', "[]", "{",
     '{"path": ["a"], "answer": "x", "weight": -1}'],
)  # fmt: skip
def test_invalid_path_example_is_reported_with_its_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps(ROWS[0]) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.jsonl:2: "):
        list(read_path_examples(file))
    (tmp_path / "b.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match="is not a Parquet file"):
        list(read_path_examples(tmp_path / "b.parquet"))


def test_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"has no file that ends in \.jsonl or \.parquet"):
        PathShards.of(tmp_path)
    with pytest.raises(DataError, match="is no folder"):
        PathShards.of(tmp_path / "nothing")
