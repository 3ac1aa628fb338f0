"""Disk cache of machine code, keyed by the source of all kernels.

Numba's own cache is keyed by the file of a kernel alone: it misses changes in kernels of other files that it calls.
"""

from __future__ import annotations

import contextlib
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import caching

__all__ = ["cache_by_source", "source_digest"]

_CACHE: Any = caching.FunctionCache
_CODE_FILE: Any = caching.IndexDataCacheFile
_PACKAGE = Path(__file__).resolve().parents[2]


def source_digest() -> str:
    """Return a digest of all package files with kernels; those import no other file of the package."""
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        text = path.read_bytes()
        if b"njit" in text:
            digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + text + b"\0")
    return digest.hexdigest()[:16]


@cache
def _initial_digest() -> str:
    """Return the source digest at the import of the first kernel."""
    return source_digest()


def cache_by_source(dispatcher: Any) -> None:
    """Cache a kernel's machine code on disk, keyed by kernel, argument types, processor and source digest.

    Without a writable folder every process compiles anew.
    """
    if not hasattr(dispatcher, "enable_caching"):
        return  # NUMBA_DISABLE_JIT is set
    with contextlib.suppress(RuntimeError):
        disk: Any = _CACHE(dispatcher.py_func)
        disk._cache_file = _CacheFiles(disk.cache_path, disk._impl.filename_base, _initial_digest())
        dispatcher._cache = disk


class _CacheFiles:
    """Cache files of one kernel; file contents never change, so processes of different versions share a folder."""

    def __init__(self, folder: str, name: str, digest: str) -> None:
        self._folder, self._name, self._digest = folder, name, digest

    def _file(self, key: object) -> Any:
        signature = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return _CODE_FILE(self._folder, f"{self._name}-{self._digest}-{signature}", self._digest)

    def load(self, key: object) -> Any:
        """Return the machine code of a signature, None if it is not cached."""
        return self._file(key).load(key)

    def save(self, key: object, data: object) -> None:
        """Write machine code, unless a source file has changed since its import."""
        if source_digest() == self._digest:
            self._remove(except_for=f"-{self._digest}-")
            self._file(key).save(key, data)

    def flush(self) -> None:
        """Remove all machine code of this kernel."""
        self._remove(except_for="/")

    def _remove(self, except_for: str) -> None:
        kernel = self._name.partition("-")[0]  # without the line number
        for path in Path(self._folder).glob(f"{kernel}-*.nb[ci]"):
            if except_for not in path.name:
                path.unlink(missing_ok=True)
