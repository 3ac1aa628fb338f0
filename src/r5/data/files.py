"""Reading and writing files so that what is wrong is said in one line and nothing is left half done."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from r5.errors import DataError

__all__ = ["read_lines", "read_text", "write_folder", "write_text"]


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file, without its byte-order mark and with plain line ends."""
    path = Path(path)
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise DataError("no such file", path) from None
    except IsADirectoryError:
        raise DataError("is a folder, expected a file", path) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path) from None
    if not raw.strip(b"\xef\xbb\xbf \t\r\n"):
        raise DataError("is empty", path)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError("is not UTF-8 text", path, line) from None
    if (place := text.find("\0")) >= 0:
        raise DataError("is not text: it holds a NUL byte", path, text.count("\n", 0, place) + 1)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """The lines of a text file that are not blank, each with its number (from 1)."""
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield number, line


def write_text(path: str | Path, text: str) -> None:
    """Write a file whole or not at all: to a temporary name beside it, then renamed."""
    path = Path(path)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_folder(path: str | Path, fill: Callable[[Path], None], force: bool = False) -> None:
    """Make a folder whole or not at all; one that is there and not empty is kept unless `force` is set."""
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise DataError("is a file, expected a folder to write to", path)
    if path.is_dir() and any(path.iterdir()) and not force:
        raise DataError("is there already and not empty; choose another folder or force it", path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror}", path) from None
    try:
        fill(temporary)
        temporary.chmod(0o755)
        old = Path(f"{temporary}.old")
        if path.exists():
            path.rename(old)
        temporary.rename(path)
        shutil.rmtree(old, ignore_errors=True)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
