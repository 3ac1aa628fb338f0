"""Writing of files that a user names: as a whole or not at all, never over an existing file without force."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from r5._util.files.folders import temporary_folder
from r5.errors import DataError

__all__ = ["check_output", "stream_bytes", "write_bytes", "write_text"]

_SPECIAL = ("/dev", "/proc")
"""Folders of devices and open files, which are never replaced."""


def check_output(path: str | Path, force: bool = False) -> None:
    """Check, ahead of a long computation, that `write_bytes` would write to a path.

    Raises:
        DataError: The path would not be written.
    """
    path = Path(path)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        parent = next(folder for folder in path.absolute().parents if folder.exists())
        if not (parent.is_dir() and os.access(parent, os.W_OK)):
            raise DataError(f"cannot be written: {parent} is not a folder that can be written to", path) from None
        return
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be written: {getattr(error, 'strerror', None) or error}", path) from None
    if stat.S_ISDIR(mode):
        raise DataError("is a folder, expected a file to write to", path)
    if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        raise DataError("is a disk or a socket, expected a file to write to", path)
    if stat.S_ISREG(mode) and not (force or _is_special(path)):
        raise DataError("already exists; choose another name or force it", path)


def write_text(path: str | Path, text: str, force: bool = False) -> None:
    """Write a text file as UTF-8, as `write_bytes` does."""
    try:
        content = text.encode()
    except UnicodeEncodeError:
        raise DataError("cannot be written: a name is not valid Unicode", path) from None
    write_bytes(path, content, force)


def write_bytes(path: str | Path, content: bytes, force: bool = False) -> None:
    """Write a file as a whole or not at all; a replaced file keeps its permissions.

    Links are followed to their target. A pipe or a device is written through, never replaced.

    Args:
        path: File to write.
        content: Bytes of the file.
        force: Whether an existing file may be replaced.

    Raises:
        DataError: The file exists and must not be replaced, or cannot be written.
    """
    check_output(path, force)
    path = Path(path)
    if _is_special(path) or (path.exists() and not path.is_file()):
        _write_through(path, content)
        return
    path = path.resolve()
    with temporary_folder(path) as folder:
        new = folder / "new"
        new.write_bytes(content)
        if path.exists():
            shutil.copymode(path, new)
        new.replace(path)


@contextmanager
def stream_bytes(path: str | Path, force: bool = False) -> Iterator[BinaryIO]:
    """Open a stream that becomes the file when it is closed, as `write_bytes` does."""
    check_output(path, force)
    path = Path(path)
    if _is_special(path) or (path.exists() and not path.is_file()):
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND), "wb") as stream:
            yield stream
        return
    path = path.resolve()
    with temporary_folder(path) as folder:
        new = folder / "new"
        with new.open("wb") as stream:
            yield stream
        if path.exists():
            shutil.copymode(path, new)
        new.replace(path)


def _is_special(path: Path) -> bool:
    """Return whether a path is a device or an open file, such as /dev/stdout."""
    return any(path.absolute().is_relative_to(folder) for folder in _SPECIAL)


def _write_through(path: Path, content: bytes) -> None:
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND), "wb") as stream:
            stream.write(content)
    except BrokenPipeError:
        raise DataError("cannot be written: its reader has gone", path) from None
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", path) from None
