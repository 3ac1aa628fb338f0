"""Folders are written as a whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from r5._util.files.folders import write_folder
from r5.errors import DataError


def fill(folder: Path) -> None:
    (folder / "a.csv").write_text("new")


def test_a_folder_is_written_if_missing_or_empty(tmp_path: Path) -> None:
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
def test_force_keeps_a_folder_with_foreign_files(tmp_path: Path, stranger: str) -> None:
    path = tmp_path / "data" / stranger
    path.parent.mkdir(parents=True)
    path.write_text("dear")
    with pytest.raises(DataError, match=f"holds '{Path(stranger).parts[0]}', which is no part of such a folder"):
        write_folder(tmp_path / "data", fill, force=True, replaces=(".csv",))
    assert path.read_text() == "dear"


def test_a_link_to_a_folder_remains_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_folder(tmp_path / "link", fill)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "a.csv").read_text() == "new"


def test_the_old_folder_remains_if_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "data"
    write_folder(folder, fill)

    def fail(new: Path) -> None:
        (new / "a.csv").write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(DataError, match="cannot be written: No space left on device"):
        write_folder(folder, fail, force=True)

    monkeypatch.setattr("r5._util.files.folders.swap_paths", lambda first, second: False)
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


def test_a_file_is_not_replaced_by_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(b"x")
    with pytest.raises(DataError, match="is a file, expected a folder to write to"):
        write_folder(path, fill, force=True)
    with pytest.raises(DataError, match="is a file, expected a folder to write to"):
        write_folder(path / "deeper", fill)
    with pytest.raises(DataError, match="cannot be read: File name too long"):
        write_folder(tmp_path / ("x" * 300), fill)


def test_the_working_directory_is_never_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    for name in (".", "..", "/", "../../a", str(inside)):
        with pytest.raises(DataError, match="is the folder that this runs in, or one above it"):
            write_folder(name, fill, force=True)
    write_folder("../c", fill)
    assert (tmp_path / "a" / "c" / "a.csv").read_text() == "new"


def test_a_link_to_itself_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(DataError, match="cannot be"):
        write_folder(tmp_path / "loop", fill)
