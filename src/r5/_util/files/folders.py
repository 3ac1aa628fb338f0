"""Writing of folders as a whole or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from r5._util.files.swap import swap_paths
from r5._util.text import abbreviate
from r5.errors import DataError

__all__ = ["check_folder", "temporary_folder", "write_folder"]


def check_folder(path: str | Path, force: bool = False, replaces: Sequence[str] = ()) -> None:
    """Check, ahead of a long computation, that `write_folder` would write a folder.

    Args:
        path: Folder to write.
        force: Whether a folder that is not empty may be replaced.
        replaces: Suffixes of files that may be replaced; empty for any content.

    Raises:
        DataError: The folder would not be written.
    """
    path = Path(path)
    try:
        above = Path.cwd().is_relative_to(path.resolve())
    except (OSError, ValueError, RuntimeError) as error:
        raise DataError(f"cannot be written: {getattr(error, 'strerror', None) or error}", path) from None
    if above:
        raise DataError("is the folder that this runs in, or one above it; name another one", path)
    existing = _entries(path)
    if existing and not force:
        raise DataError("already exists and is not empty; choose another folder or force it", path)
    foreign = next((old for old in existing if replaces and not (old.is_file() and old.suffix in replaces)), None)
    if foreign is not None:
        raise DataError(
            f"holds {abbreviate(foreign.name)}, which is no part of such a folder: it is not replaced", path
        )


def write_folder(
    path: str | Path, fill: Callable[[Path], None], force: bool = False, replaces: Sequence[str] = ()
) -> None:
    """Write a folder as a whole or not at all.

    Args:
        path: Folder to write; a link to a folder remains a link.
        fill: Function that writes the files into an empty folder.
        force: Whether a folder that is not empty may be replaced.
        replaces: Suffixes of files that may be replaced; empty for any content.

    Raises:
        DataError: The folder exists and must not be replaced, or cannot be written.
    """
    check_folder(path, force, replaces)
    path = Path(path).resolve()
    with temporary_folder(path) as folder:
        new, old = folder / "new", folder / "old"
        new.mkdir()
        fill(new)
        if path.exists() and swap_paths(new, path):
            return
        try:
            if path.exists():
                path.rename(old)
            new.rename(path)
        except BaseException:
            if old.exists() and not path.exists():
                old.rename(path)
            raise


def _entries(path: Path) -> list[Path]:
    """Return the entries of a folder; empty if it does not exist."""
    try:
        return sorted(path.iterdir())
    except FileNotFoundError:
        return []
    except NotADirectoryError:
        raise DataError("is a file, expected a folder to write to", path) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path) from None


@contextmanager
def temporary_folder(path: Path) -> Iterator[Path]:
    """Make a temporary folder beside `path`, on the same disk, removed at the end.

    Raises:
        DataError: The disk cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".r5-", dir=path.parent) as folder:
            yield Path(folder)
    except UnicodeEncodeError:
        raise DataError("cannot be written: a name is not valid Unicode", path) from None
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", path) from None
