"""Text of messages."""

from __future__ import annotations

import reprlib

__all__ = ["abbreviate"]


def abbreviate(value: object) -> str:
    """Return the representation of a value for a message, cut to a short length.

    >>> abbreviate("x" * 1000)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"
    """
    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = 64
    return short.repr(value)
