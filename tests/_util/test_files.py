"""Reading and writing files: broken ones are said to be in one line, nothing is left half done."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from r5._util.files import is_folder, list_files, parse_json, read_lines, read_table, read_text, shown, write_folder
from r5.errors import DataError


def file(folder: Path, content: bytes) -> Path:
    path = folder / "file.txt"
    path.write_bytes(content)
    return path


def test_a_byte_order_mark_and_foreign_line_ends_are_taken_off(tmp_path: Path) -> None:
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
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_text(file(tmp_path, content))


def test_missing_files_and_folders(tmp_path: Path) -> None:
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


def test_a_table_knows_the_first_line_of_each_row(tmp_path: Path) -> None:
    path = file(tmp_path, b'a,b\r\n\r\n"x\r\ny",2\r\n3,"4 ""z"""\r\n')
    assert read_table(path) == [(1, ["a", "b"]), (3, ["x\ny", "2"]), (5, ["3", '4 "z"'])]


def test_a_table_may_have_fields_longer_than_the_csv_module_allows(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    path = file(tmp_path, b"a\n" + b"x" * (before + 1) + b"\n")
    assert len(read_table(path)[1][1][0]) == before + 1
    assert csv.field_size_limit() == before


@pytest.mark.parametrize("content", [b'a\n1\n"2\n3\n', b'a\n1\n"2"x\n3\n'])
def test_wrong_quotes_are_said_with_their_line(tmp_path: Path, content: bytes) -> None:
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
def test_broken_json_is_said_with_its_line(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_json(text, "x", 7)
    assert str(caught.value) == message


def test_json_may_escape_whole_surrogate_pairs() -> None:
    assert parse_json('"\\ud83d\\ude00"', "x") == "\N{GRINNING FACE}"


def test_values_are_shown_short() -> None:
    deep: list[object] = []
    for _ in range(900):
        deep = [deep]
    assert len(shown(deep)) < 100
    assert len(shown({"a": ["x" * 1000] * 1000})) < 500


def fill(folder: Path) -> None:
    (folder / "a.csv").write_text("new")


def test_a_folder_is_made_where_there_is_none_or_an_empty_one(tmp_path: Path) -> None:
    write_folder(tmp_path / "deep" / "down", fill)
    (tmp_path / "empty").mkdir()
    write_folder(tmp_path / "empty", fill)
    for folder in (tmp_path / "deep" / "down", tmp_path / "empty"):
        assert (folder / "a.csv").read_text() == "new"
        assert folder.stat().st_mode & 0o777 == (tmp_path / "deep").stat().st_mode & 0o777
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deep", "empty"]


def test_a_full_folder_is_replaced_only_by_force(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "old.csv").write_text("old")
    with pytest.raises(DataError, match="already exists and is not empty"):
        write_folder(folder, fill)
    assert (folder / "old.csv").read_text() == "old"
    write_folder(folder, fill, force=True)
    assert [path.name for path in folder.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("stranger", ["thesis.txt", "sub.csv/x.csv"])
def test_even_force_keeps_a_folder_that_holds_something_else(tmp_path: Path, stranger: str) -> None:
    path = tmp_path / "data" / stranger
    path.parent.mkdir(parents=True)
    path.write_text("dear")
    with pytest.raises(DataError, match=f"holds '{Path(stranger).parts[0]}', which is no part of such a folder"):
        write_folder(tmp_path / "data", fill, force=True, replaces=(".csv",))
    assert path.read_text() == "dear"


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_folder(tmp_path / "link", fill)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "a.csv").read_text() == "new"


def test_what_was_there_stays_when_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "data"
    write_folder(folder, fill)

    def fail(new: Path) -> None:
        (new / "a.csv").write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(DataError, match="cannot be written: No space left on device"):
        write_folder(folder, fail, force=True)

    monkeypatch.setattr("r5._util.files.exchange", lambda first, second: False)
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self.name == "new":
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(KeyboardInterrupt):
        write_folder(folder, fill, force=True)
    assert (folder / "a.csv").read_text() == "new"
    assert list(tmp_path.iterdir()) == [folder]


def test_a_folder_is_not_written_over_or_into_a_file(tmp_path: Path) -> None:
    path = file(tmp_path, b"x")
    with pytest.raises(DataError, match="is a file, expected a folder to write to"):
        write_folder(path, fill, force=True)
    with pytest.raises(DataError, match="is a file, expected a folder to write to"):
        write_folder(path / "deeper", fill)
    with pytest.raises(DataError, match="cannot be read: File name too long"):
        write_folder(tmp_path / ("x" * 300), fill)


def test_the_folder_one_is_in_is_never_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    for name in (".", "..", "/", "../../a", str(inside)):
        with pytest.raises(DataError, match="is the folder that this runs in, or one above it"):
            write_folder(name, fill, force=True)
    write_folder("../c", fill)
    assert (tmp_path / "a" / "c" / "a.csv").read_text() == "new"


def test_a_link_to_itself_is_told(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(DataError, match="cannot be"):
        write_folder(tmp_path / "loop", fill)
