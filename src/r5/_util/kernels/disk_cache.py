"""Disk cache of machine code, keyed by the source of all kernels.

Numba's own cache is keyed by the file of a kernel alone: it misses changes in kernels of other files that it calls.
It also ignores folders that cannot be written.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import compiler, serialize

from r5._util.kernels.cache_folders import CacheFolders

__all__ = ["KernelCache", "cache_by_source", "cache_folders", "source_digest"]

_Result: Any = compiler.CompileResult
_dumps: Any = serialize.dumps
_PACKAGE = Path(__file__).resolve().parents[2]
_CHECKSUM = hashlib.sha256().digest_size
_VERSIONS = (numba.__version__, llvmlite.__version__, np.__version__, sys.version, sysconfig.get_platform())
"""Versions that machine code depends on, besides the processor and the sources."""


def source_digest() -> str:
    """Return a digest of all package files with kernels; those import no other file of the package."""
    return _Sources.read().digest


@dataclass(frozen=True)
class _Sources:
    """Package files with kernels."""

    digest: str
    stamps: dict[Path, tuple[int, int]]
    """Time of the last change and size of each file."""

    @classmethod
    def read(cls) -> _Sources:
        digest, stamps = hashlib.sha256(), {}
        for path in sorted(_PACKAGE.rglob("*.py")):
            stamp = _stamp(path)
            text = path.read_bytes()
            if b"njit" in text:
                digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + text + b"\0")
                stamps[path] = stamp
        return cls(digest.hexdigest()[:16], stamps)

    def are_unchanged(self) -> bool:
        """Return whether no file has changed since it was read."""
        try:
            return all(_stamp(path) == stamp for path, stamp in self.stamps.items())
        except OSError:
            return False


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


@cache
def _initial_sources() -> _Sources:
    """Return the sources at the import of the first kernel."""
    return _Sources.read()


@cache
def cache_folders() -> CacheFolders:
    """Return the folders for the sources at the import of the first kernel."""
    return CacheFolders(_PACKAGE, _initial_sources().digest)


def cache_by_source(dispatcher: Any) -> None:
    """Cache a kernel's machine code on disk, keyed by kernel, argument types, processor and source digest.

    Without a writable folder every process compiles anew.
    """
    if hasattr(dispatcher, "enable_caching"):  # not if NUMBA_DISABLE_JIT is set
        dispatcher._cache = KernelCache(dispatcher.py_func, cache_folders())


class KernelCache:
    """Machine code of one kernel, a file for each signature and processor."""

    def __init__(self, kernel: Any, folders: CacheFolders) -> None:
        self._kernel, self._folders, self._is_enabled = kernel, folders, True
        self._name = f"{kernel.__module__.rpartition('.')[2]}.{kernel.__qualname__}".replace("<locals>", "locals")

    @property
    def cache_path(self) -> str:
        """First folder, as numba's statistics show it."""
        return str(self._folders.roots[0])

    def enable(self) -> None:
        """Use the cache."""
        self._is_enabled = True

    def disable(self) -> None:
        """Do not use the cache."""
        self._is_enabled = False

    def flush(self) -> None:
        """Remove all machine code of this kernel."""
        self._folders.remove(f"{self._name}-*")

    def contains(self, signature: object, target: Any) -> bool:
        """Return whether the machine code of a signature is on disk."""
        target.refresh()
        return self._folders.contains(self._file(signature, target.codegen()))

    def load_overload(self, sig: object, target_context: Any) -> Any:
        """Return the machine code of a signature; None if it is not on disk or damaged."""
        target_context.refresh()
        content = self._folders.read(self._file(sig, target_context.codegen())) if self._is_enabled else None
        if content is None or hashlib.sha256(content[_CHECKSUM:]).digest() != content[:_CHECKSUM]:
            return None
        return _Result._rebuild(target_context, *pickle.loads(content[_CHECKSUM:]))  # noqa: S301  our own

    def save_overload(self, sig: object, data: Any) -> None:
        """Write machine code, unless a source file has changed since its import."""
        if not self._is_enabled or data.lifted or data.library.has_dynamic_globals:
            return
        if not _initial_sources().are_unchanged():
            return
        content: bytes = _dumps(data._reduce())
        self._folders.write(self._file(sig, data.codegen), hashlib.sha256(content).digest() + content)

    def _file(self, signature: object, codegen: Any) -> str:
        key = repr((self._kernel.__module__, signature, codegen.magic_tuple(), _VERSIONS))
        return f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.kernel"
