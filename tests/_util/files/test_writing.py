"""Files are written as a whole; existing files are kept without force; devices and pipes are written through."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from r5._util.files.writing import check_output, write_bytes, write_text
from r5.errors import DataError


def test_a_text_is_written_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    write_text(path, "zwölf\n")
    assert path.read_bytes() == "zwölf\n".encode()
    with pytest.raises(DataError, match="not valid Unicode"):
        write_text(path, "half \ud800", force=True)
    assert path.read_bytes() == "zwölf\n".encode()
    assert list(path.parent.iterdir()) == [path]
    with pytest.raises(DataError, match="cannot be written"):
        write_text(path / "deeper", "x")


def test_an_existing_file_is_replaced_only_by_force(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("dear")
    path.chmod(0o640)
    for attempt in (check_output, lambda path: write_text(path, "new")):
        with pytest.raises(DataError, match="already exists; choose another name or force it"):
            attempt(path)
    assert path.read_text() == "dear"
    write_text(path, "new", force=True)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o640)


def test_links_are_followed_and_remain_links(tmp_path: Path) -> None:
    real, link, ahead = tmp_path / "deep" / "real.txt", tmp_path / "link", tmp_path / "ahead"
    real.parent.mkdir()
    real.write_text("dear")
    link.symlink_to(real)
    ahead.symlink_to(tmp_path / "deep" / "later.txt")
    with pytest.raises(DataError, match="already exists"):
        write_text(link, "new")
    assert real.read_text() == "dear"
    write_text(link, "new", force=True)
    write_text(ahead, "later")
    assert link.is_symlink()
    assert ahead.is_symlink()
    assert (real.read_text(), (tmp_path / "deep" / "later.txt").read_text()) == ("new", "later")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(DataError, match="cannot be written"):
        write_text(tmp_path / "loop", "x")


def test_a_pipe_is_written_through(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "through")
    reader.join(timeout=10)
    assert read == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there are no devices here")
def test_devices_are_written_through(tmp_path: Path) -> None:
    write_text("/dev/null", "gone", force=True)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    with pytest.raises(DataError, match="No space left on device"):
        write_text("/dev/full", "x")
    path = tmp_path / "opened"
    with path.open("wb") as opened:
        opened.write(b"first ")
        opened.flush()
        write_bytes(f"/dev/fd/{opened.fileno()}", b"second")
    assert path.read_text() == "first second"


def test_a_folder_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder, expected a file to write to"):
        check_output(tmp_path, force=True)
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot be written"):
        check_output(tmp_path / "file" / "deeper" / "still")
