"""Objects that installed packages add through entry points."""

from __future__ import annotations

import warnings
from importlib.metadata import entry_points
from typing import TypeVar

__all__ = ["load_plugins"]

T = TypeVar("T")


def load_plugins(group: str, kind: type[T], noun: str) -> list[T]:
    """Load the objects of an entry-point group; warn about those that fail to load and leave them out.

    Args:
        group: Name of the group.
        kind: Expected type of the objects.
        noun: Description of the objects, for warnings.
    """
    found = []
    for point in entry_points(group=group):
        try:
            loaded = point.load()
        except Exception as error:  # third-party code can raise anything
            warnings.warn(f"the {noun} {point.name!r} of {point.value} does not load: {error}", stacklevel=4)
            continue
        if isinstance(loaded, kind):
            found.append(loaded)
        else:
            text = f"{point.value}, declared as the {noun} {point.name!r}, is not a {kind.__name__}"
            warnings.warn(text, stacklevel=4)
    return found
