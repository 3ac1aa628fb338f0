"""Lazy imports of a package: its stub file lists the names, each is imported at its first use."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["attach_stub"]

_LINE = re.compile(r"^from (\S+) import (\w+) as \2$", re.MULTILINE)


def attach_stub(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package whose stub lists `from x import Name as Name`."""
    stub = Path(file).with_suffix(".pyi").read_text(encoding="utf-8")
    home = {name: module for module, name in _LINE.findall(stub)}

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(home[name]), name)

    return load, lambda: sorted([*home, "__version__"]), sorted(home)
