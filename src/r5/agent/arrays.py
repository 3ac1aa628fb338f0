"""Arrays that grow: copies of NamedTuples of arrays into larger ones."""

from __future__ import annotations

from typing import Any

__all__ = ["copy_rows"]


def copy_rows(larger: tuple[Any, ...], arrays: tuple[Any, ...]) -> None:
    """Copy each array to the start of the larger array in the same place."""
    for new, old in zip(larger, arrays, strict=True):
        new[: old.shape[0]] = old
