"""Table of the argument types of kernels, by the commands that use them; `tools/kernel_table.py` makes it.

Kernels that the table lacks are compiled when they are called.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["TABLE", "KernelSignature", "read_table", "select_missing"]

TABLE = Path(__file__).with_name("signatures.json")


@dataclass(frozen=True)
class KernelSignature:
    """Kernel with its argument types."""

    kernel: str
    """Module and name, joined by a colon."""
    types: tuple[Any, ...]
    """Argument types in the form of `r5._util.kernels.type_names`."""
    seconds: float
    """Seconds of compilation on the machine that made the table."""
    tasks: tuple[str, ...]
    """Engines and commands that use the kernel, such as `grammar train`."""

    def dispatcher(self) -> Any:
        """Return the kernel."""
        module, _, name = self.kernel.partition(":")
        return getattr(import_module(module), name)

    def signature(self) -> tuple[Any, ...]:
        """Return the argument types."""
        from r5._util.kernels.type_names import read_type

        return tuple(map(read_type, self.types))

    def is_missing(self) -> bool:
        """Return whether the kernel exists and its machine code is not on disk."""
        try:
            dispatcher, signature = self.dispatcher(), self.signature()
        except (ImportError, AttributeError, ValueError):
            return False  # of another version
        kept = getattr(dispatcher, "_cache", None)
        return kept is not None and not kept.contains(signature, dispatcher.targetctx)

    def compile(self) -> None:
        """Compile the kernel, or load it from disk."""
        with suppress(Exception):  # of another version; a call will compile what it needs
            self.dispatcher().compile(self.signature())


@cache
def read_table() -> tuple[KernelSignature, ...]:
    """Return the table; empty if it is absent or damaged."""
    try:
        rows = json.loads(TABLE.read_text(encoding="utf-8"))
        return tuple(
            KernelSignature(row["kernel"], tuple(row["types"]), float(row["seconds"]), tuple(row["tasks"]))
            for row in rows
        )
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def select_missing(tasks: Iterable[str] | None = None) -> list[int]:
    """Return the positions of kernels that are not on disk, the slowest first.

    Args:
        tasks: Tasks whose kernels are wanted; None for all.
    """
    wanted = None if tasks is None else set(tasks)
    table = read_table()
    found = [
        place for place, row in enumerate(table) if (wanted is None or wanted & set(row.tasks)) and row.is_missing()
    ]
    return sorted(found, key=lambda place: -table[place].seconds)
