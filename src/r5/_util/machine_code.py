"""Machine code is kept on disk by the source of all kernels, so that old code never runs.

Numba by itself looks at the file that a kernel stands in, not at the kernels that it calls in other files.
"""

from __future__ import annotations

import contextlib
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import caching

__all__ = ["keep_by_source", "source_mark"]

_CACHE: Any = caching.FunctionCache
_CODE_FILE: Any = caching.IndexDataCacheFile
_PACKAGE = Path(__file__).resolve().parents[1]


def source_mark() -> str:
    """A digest of every file of the package that has kernels; those import nothing else of the package."""
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        text = path.read_bytes()
        if b"njit" in text:
            digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + text + b"\0")
    return digest.hexdigest()[:16]


@cache
def _first_mark() -> str:
    """The mark as it was when the first kernel was imported."""
    return source_mark()


def keep_by_source(dispatcher: Any) -> None:
    """Let Numba keep a kernel's machine code on disk: by kernel, types of arguments, processor and source mark.

    Where no folder can be written to, each process compiles for itself.
    """
    if not hasattr(dispatcher, "enable_caching"):
        return  # NUMBA_DISABLE_JIT: there is no machine code
    with contextlib.suppress(RuntimeError):
        kept: Any = _CACHE(dispatcher.py_func)
        kept._cache_file = _Files(kept.cache_path, kept._impl.filename_base, _first_mark())
        dispatcher._cache = kept


class _Files:
    """Nothing is ever replaced by anything else, so processes of any age can read and write side by side."""

    def __init__(self, folder: str, name: str, mark: str) -> None:
        self._folder, self._name, self._mark = folder, name, mark

    def _file(self, key: object) -> Any:
        which = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return _CODE_FILE(self._folder, f"{self._name}-{self._mark}-{which}", self._mark)

    def load(self, key: object) -> Any:
        return self._file(key).load(key)

    def save(self, key: object, data: object) -> None:
        """Unless a source has changed since it was read: nobody knows what this code was made of."""
        if source_mark() == self._mark:
            self._forget(except_for=f"-{self._mark}-")
            self._file(key).save(key, data)

    def flush(self) -> None:
        """Forget the code of this kernel."""
        self._forget(except_for="/")

    def _forget(self, except_for: str) -> None:
        kernel = self._name.partition("-")[0]  # without the line it stood on
        for path in Path(self._folder).glob(f"{kernel}-*.nb[ci]"):
            if except_for not in path.name:
                path.unlink(missing_ok=True)
