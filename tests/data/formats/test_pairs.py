"""Pairs of entities in files: every layout, packed or not, read a row at a time, and what is wrong with its line."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from r5.data.formats.pairs import Pair, read_pairs
from r5.errors import DataError


def names(path: Path, examples: bool = False) -> list[tuple[str, ...]]:
    found = list(read_pairs(path, examples))
    assert not [pair.problem for pair in found if pair.problem]
    return [(pair.source, pair.target, *([pair.example] if examples else [])) for pair in found]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pairs.tsv", "Ann\tTom\nBo Lee\tEve\n"),
        ("pairs.tsv", "\ufeffsource\ttarget\r\nAnn\tTom\r\n\r\nBo Lee\tEve\r\n"),
        ("pairs.txt", "id\thead\ttail\n1\tAnn\tTom\n2\tBo Lee\tEve"),
        ("pairs.csv", 'Ann,Tom\n"Bo Lee",Eve\n'),
        ("pairs.csv", "target,source\nTom,Ann\nEve,Bo Lee\n"),
    ],
)
def test_pairs_are_read_from_any_layout(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode())
    assert names(path) == [("Ann", "Tom"), ("Bo Lee", "Eve")]


def packed_by_zstandard(raw: bytes) -> bytes:
    return pytest.importorskip("zstandard").ZstdCompressor().compress(raw)  # type: ignore[no-any-return]


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".zst", packed_by_zstandard)])
def test_compressed_pairs_are_read_and_damaged_ones_refused(
    tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / f"pairs.tsv{ending}"
    path.write_bytes(pack(b"Ann\tTom\n" * 5000))
    assert names(path) == [("Ann", "Tom")] * 5000
    path.write_bytes(b"Ann\tTom\n")
    with pytest.raises(DataError, match="is not a packed file"):
        names(path)
    path.write_bytes(pack(b"Ann\tTom\n" * 5000)[:-9])
    with pytest.raises(DataError, match="is not a packed file"):
        assert len(names(path)) == 5000


def test_parquet_pairs_report_missing_cells(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"weight": [1, 2], "from": ["Ann", "Bo Lee"], "to": ["Tom", None]})
    path = tmp_path / "pairs.parquet"
    frame.to_parquet(path)
    first, second = read_pairs(path)
    assert first == Pair(1, "Ann", "Tom")
    assert second.problem == "the target is missing"
    frame[["from", "to"]].rename(columns={"from": "a", "to": "b"}).to_parquet(path)
    assert next(read_pairs(path)) == Pair(1, "Ann", "Tom")
    path.write_bytes(b"no table")
    with pytest.raises(DataError, match="is not a Parquet file"):
        list(read_pairs(path))


def test_example_column_is_read_on_request(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("example\tsource\ttarget\n7\tAnn\tTom\n")
    assert names(path, examples=True) == [("Ann", "Tom", "7")]


def test_row_without_a_pair_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("Ann\tTom\nAnn\nAnn\tTom\tEve\n\tTom\n")
    problems = [(pair.line, pair.problem) for pair in read_pairs(path) if pair.problem]
    assert problems == [
        (2, "expected source and target in 2 fields, found 1"),
        (3, "expected source and target in 2 fields, found 3"),
        (4, "the source is missing"),
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "is empty"), (b"Ann\tTom\n\xff\xfe\n", "is not UTF-8"), (b'a,"b\n', "is not valid CSV")],
)
def test_unreadable_files_are_refused(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "pairs.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=words):
        list(read_pairs(path))
    with pytest.raises(DataError, match="no such file"):
        list(read_pairs(tmp_path / "other.csv"))
