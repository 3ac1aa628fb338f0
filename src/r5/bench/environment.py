"""Environment of a run: versions, commit of the sources and machine."""

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
    """Return the versions of r5, Python and numeric libraries, the commit of the sources and the machine."""
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
    """Return the commit of the source tree, marked `+changes` if files differ from it; None outside a checkout."""
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return None

    def run_git(*arguments: str) -> str:
        command = [git, "-C", str(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603

    try:
        return run_git("rev-parse", "HEAD") + ("+changes" if run_git("status", "--porcelain", "--", "src") else "")
    except subprocess.CalledProcessError:
        return None
