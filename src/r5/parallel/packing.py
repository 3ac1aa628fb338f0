"""Packing: what goes from one process to another, such that arrays that are read-only here are so there.

Ray moves work between its own processes as pickles, and so do we: none is ever read from a file or from a stranger.
Kernels are compiled for read-only or for other arrays, so the difference must not get lost on the way.
"""

from __future__ import annotations

import pickle
from dataclasses import fields
from typing import Any

__all__ = ["Fields", "pack", "unpack"]


class Fields:
    """A dataclass that goes to other processes as its fields alone: what follows from them is found again there."""

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: self.__dict__[field.name] for field in fields(self)}  # type: ignore[arg-type]


def pack(value: Any) -> bytes:
    """The value as bytes, its arrays in one piece with the rest: protocol 5 tells read-only ones from others."""
    return pickle.dumps(value, protocol=5)


def unpack(packed: bytes) -> Any:
    """What was packed by another process of this cluster."""
    return pickle.loads(packed)  # noqa: S301  see above
