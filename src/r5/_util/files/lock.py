"""Lock of a path for writing, released by the system if its process dies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from r5.errors import DataError

try:
    import fcntl
except ImportError:  # Windows: no lock
    fcntl = None  # type: ignore[assignment]

__all__ = ["exclusive_lock"]


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Hold the lock of a path: a hidden file beside it, removed at the end.

    The lock file of a killed process does not block.

    Raises:
        DataError: Another process holds the lock, or the lock file cannot be written.
    """
    path = Path(path).resolve()
    lock = path.with_name(f".{path.name}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = _acquire(lock)
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", path) from None
    if handle is None:
        raise DataError("is being written by another process that has not ended; choose another name or wait", path)
    try:
        yield
    finally:
        with suppress(OSError):
            lock.unlink()  # while the lock is held, so that no process waits for a removed file
        os.close(handle)


def _acquire(lock: Path) -> int | None:
    """Open and lock the lock file; None if another process holds it."""
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
            pass  # its holder has just removed it: the next round makes a new file
        os.close(handle)
