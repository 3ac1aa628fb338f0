"""What a result depends on beside its seed and settings: versions, and the commit of the sources."""

from __future__ import annotations

import platform
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import r5
from r5._util.runtime.threads import usable_threads

__all__ = ["describe"]

_LIBRARIES = ("numpy", "numba", "torch", "torch_geometric", "safetensors", "PyYAML")


def describe() -> dict[str, Any]:
    """Versions of this package, its commit, Python and the libraries that compute."""
    return {
        "version": r5.__version__,
        "commit": _commit(Path(__file__).resolve().parents[3]),
        "python": platform.python_version(),
        "libraries": {name: found for name in _LIBRARIES if (found := _version(name)) is not None},
        "machine": {"system": platform.system(), "architecture": platform.machine(), "cores": usable_threads()},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _commit(root: Path) -> str | None:
    """The commit that the sources were checked out at, with a mark where they were changed since; None elsewhere."""
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return None

    def ask(*arguments: str) -> str:
        command = [git, "-C", str(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603  git

    try:
        return ask("rev-parse", "HEAD") + ("+changes" if ask("status", "--porcelain", "--", "src") else "")
    except subprocess.CalledProcessError:
        return None
