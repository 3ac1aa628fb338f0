"""A lock on a path that is about to be written; the system takes it from a process that has died."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from r5.errors import DataError

try:
    import fcntl
except ImportError:  # not on Windows, where nothing is locked
    fcntl = None  # type: ignore[assignment]

__all__ = ["only_writer"]


@contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """Refuse, at once, to go on where another process does the same for this path.

    The lock is a hidden file beside the path, gone at the end. One that a killed process left behind is no hindrance.
    """
    path = Path(path).resolve()
    lock = path.with_name(f".{path.name}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = _locked(lock)
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", path) from None
    if handle is None:
        raise DataError("is being written by another process that has not ended; choose another name or wait", path)
    try:
        yield
    finally:
        with suppress(OSError):
            lock.unlink()  # before the lock is given up, so that nobody waits for a file that is gone
        os.close(handle)


def _locked(lock: Path) -> int | None:
    """The lock file, opened and locked; None where somebody else holds it."""
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        if fcntl is None:
            return handle
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(handle), lock.stat()):
                return handle
        except BlockingIOError:
            os.close(handle)
            return None
        except FileNotFoundError:
            pass  # its holder has just ended and taken it away: a new one is made
        os.close(handle)
