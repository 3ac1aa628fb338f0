"""Folders of cached machine code: beside the package, or that of the user; `R5_CACHE_DIR` names another one."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

__all__ = ["CacheFolders", "user_cache_folder"]

_VARIABLES = ("R5_CACHE_DIR", "NUMBA_CACHE_DIR")
_PREFIX = "kernels-"
_UNUSED_SECONDS = 30 * 24 * 3600
"""Age after which machine code of other versions is removed from the folder of a user."""


def user_cache_folder() -> Path | None:
    """Return the cache folder of the user: `$XDG_CACHE_HOME/r5`, `~/.cache/r5`; None without a home."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    if given and Path(given).is_absolute():
        return Path(given) / "r5"
    if os.name == "nt" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "r5"
    with suppress(RuntimeError):
        return Path.home() / ".cache" / "r5"
    return None


@dataclass
class CacheFolders:
    """Folders that hold the machine code of one version of the sources.

    All folders are read. New machine code goes to the first one that can be written, in files that are complete when
    they appear, so that processes and users share folders.
    """

    package: Path
    """Folder of the package."""
    digest: str
    """Digest of the sources."""
    _is_unwritable: set[Path] = field(default_factory=set)

    @cached_property
    def roots(self) -> tuple[Path, ...]:
        """Folders for all versions, in the order of their use."""
        for variable in _VARIABLES:
            if os.environ.get(variable):
                return (Path(os.environ[variable]).absolute(),)
        own = user_cache_folder()
        beside = self.package / "__pycache__"
        return (beside,) if own is None else (beside, own)

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None if no folder has it."""
        for root in self.roots:
            with suppress(OSError):
                return (self._folder(root) / name).read_bytes()
        return None

    def contains(self, name: str) -> bool:
        """Return whether a folder has a file."""
        return any((self._folder(root) / name).is_file() for root in self.roots)

    def write(self, name: str, content: bytes) -> Path | None:
        """Write a file to the first folder that can be written, and return that folder; None if there is none."""
        for root in self.roots:
            if root in self._is_unwritable:
                continue
            folder = self._folder(root)
            temporary = folder / f"{name}.{os.getpid()}.tmp"
            try:
                if not folder.is_dir():
                    folder.mkdir(parents=True, exist_ok=True)
                    self._remove_others(root)
                temporary.write_bytes(content)
                temporary.replace(folder / name)
                return folder
            except OSError:
                self._is_unwritable.add(root)
                with suppress(OSError):
                    temporary.unlink(missing_ok=True)
        return None

    def can_write(self) -> bool:
        """Return whether new machine code can be kept."""
        probe = f".{os.getpid()}"
        if self.write(probe, b"") is None:
            return False
        self.remove(probe)
        return True

    def used(self) -> list[Path]:
        """Return the folders that hold machine code of this version."""
        return [self._folder(root) for root in self.roots if any(self._folder(root).glob("*.kernel"))]

    def remove(self, pattern: str) -> None:
        """Remove files of this version."""
        for root in self.roots:
            for path in self._folder(root).glob(pattern):
                with suppress(OSError):
                    path.unlink(missing_ok=True)

    def _folder(self, root: Path) -> Path:
        return root / f"{_PREFIX}{self.digest}"

    def _remove_others(self, root: Path) -> None:
        """Remove machine code of other versions: beside the package all, elsewhere what is old."""
        oldest = time.time() - (0 if root.parent == self.package else _UNUSED_SECONDS)
        for folder in root.glob(f"{_PREFIX}*"):
            with suppress(OSError):
                if folder != self._folder(root) and folder.stat().st_mtime <= oldest:
                    shutil.rmtree(folder, ignore_errors=True)
