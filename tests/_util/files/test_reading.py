"""Reading of text, tables and JSON; errors name the file and the line."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from r5._util.files.reading import is_folder, list_files, parse_json, read_lines, read_table, read_text
from r5.errors import DataError


def file(folder: Path, content: bytes) -> Path:
    path = folder / "file.txt"
    path.write_bytes(content)
    return path


def test_byte_order_mark_and_line_ends_are_normalised(tmp_path: Path) -> None:
    path = file(tmp_path, b"\xef\xbb\xbfone\r\n\r\n \ntwo\rthree\n")
    assert read_text(path) == "one\n\n \ntwo\nthree\n"
    assert list(read_lines(path)) == [(1, "one"), (4, "two"), (5, "three")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "file.txt: is empty"),
        (b"\xef\xbb\xbf \r\n\t", "file.txt: is empty"),
        (b"good\nbad \xff\xfe\n", "file.txt:2: is not UTF-8 text"),
        (b"good\n\nbad \x00\n", "file.txt:3: is not text: it holds a NUL byte"),
    ],
)
def test_files_without_text_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_text(file(tmp_path, content))


def test_missing_files_are_errors_and_not_listed(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nothing\.txt: no such file"):
        read_text(tmp_path / "nothing.txt")
    with pytest.raises(DataError, match="is a folder, expected a file"):
        read_text(tmp_path)
    with pytest.raises(DataError, match="cannot be read: Not a directory"):
        read_text(file(tmp_path, b"x") / "deeper")
    for path in ("x" * 5000, "a\0b", tmp_path / "nothing"):
        assert not is_folder(path)
        assert list_files(path, "*.txt") == []


def test_files_are_listed_in_natural_order_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("1.10_test.csv", "1.2_test.csv", "._1.2_test.csv", "1.2_test.txt"):
        (tmp_path / name).touch()
    (tmp_path / "1.3_test.csv").mkdir()
    assert [path.name for path in list_files(tmp_path, "*_test.csv")] == ["1.2_test.csv", "1.10_test.csv"]


def test_read_table_returns_the_first_line_of_each_row(tmp_path: Path) -> None:
    path = file(tmp_path, b'a,b\r\n\r\n"x\r\ny",2\r\n3,"4 ""z"""\r\n')
    assert read_table(path) == [(1, ["a", "b"]), (3, ["x\ny", "2"]), (5, ["3", '4 "z"'])]


def test_read_table_accepts_fields_beyond_the_csv_limit(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    path = file(tmp_path, b"a\n" + b"x" * (before + 1) + b"\n")
    assert len(read_table(path)[1][1][0]) == before + 1
    assert csv.field_size_limit() == before


@pytest.mark.parametrize("content", [b'a\n1\n"2\n3\n', b'a\n1\n"2"x\n3\n'])
def test_wrong_quotes_are_errors_with_their_line(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DataError, match=r"file\.txt:3: is not valid CSV"):
        read_table(file(tmp_path, content))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": [1, 2', "x:7: is not valid JSON: Expecting ',' delimiter"),
        ("[1,\n 2,\n ?]", "x:9: is not valid JSON: Expecting value"),
        ("[" * 100_000, "x:7: is not valid JSON: nested too deeply"),
        ("9" * 5000, "x:7: is not valid JSON: a number is too long"),
        ('["\\uD800"]', "x:7: is not valid Unicode: a name holds half a surrogate pair"),
    ],
)
def test_invalid_json_is_an_error_with_its_line(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_json(text, "x", 7)
    assert str(caught.value) == message


def test_parse_json_accepts_escaped_surrogate_pairs() -> None:
    assert parse_json('"\\ud83d\\ude00"', "x") == "\N{GRINNING FACE}"
