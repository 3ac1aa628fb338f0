"""Validation of generator options."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral

from r5.errors import R5Error

__all__ = ["LONGEST", "evenly", "lengths_of", "number_of", "rate_of"]

LONGEST = 100
"""Maximum length of a generated path."""


def number_of(name: str, value: object, least: int = 0, most: int | None = None) -> int:
    """Check that an option is a whole number in a range.

    Args:
        name: Name of the option, for error messages.
        value: Value to check.
        least: Minimum.
        most: Maximum, if any.

    Raises:
        R5Error: The value is not a whole number in the range.

    >>> number_of("train", 10)
    10

    """
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):  # type: ignore[operator]
        wanted = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise R5Error(f"{name} must be a whole number {wanted}, not {value!r}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def rate_of(name: str, value: object, *, most: float = 1.0, below: float | None = None) -> float:
    """Check that an option is a number in [0, most], or in [0, below).

    Args:
        name: Name of the option, for error messages.
        value: Value to check.
        most: Inclusive maximum.
        below: Exclusive maximum, instead of `most`.

    Raises:
        R5Error: The value is not a number in the range.

    >>> rate_of("wrong_edges", 0.1, below=1)
    0.1

    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or value < 0 or not (value <= most if below is None else value < below):  # type: ignore[operator]
        wanted = f"to {most:g}" if below is None else f"to less than {below:g}"
        raise R5Error(f"{name} must be a number from 0 {wanted}, not {value!r}")
    return float(value)  # type: ignore[arg-type]


def lengths_of(name: str, values: Iterable[int] | int) -> tuple[int, ...]:
    """Check that an option is one or several path lengths.

    Args:
        name: Name of the option, for error messages.
        values: Path lengths from 2 to `LONGEST`.

    Returns:
        The distinct lengths in ascending order.

    Raises:
        R5Error: There is no length, or one is out of range.

    >>> lengths_of("test_hops", range(4, 7))
    (4, 5, 6)

    """
    given = values if isinstance(values, Iterable) and not isinstance(values, str) else (values,)
    lengths = tuple(sorted({number_of(f"each of {name}", value, 2, LONGEST) for value in given}))
    if not lengths:
        raise R5Error(f"{name} is empty; expected path lengths such as 2, 3")
    return lengths


def evenly(total: int, parts: int) -> list[int]:
    """Divide a total into whole numbers that differ by at most one.

    >>> evenly(7, 3)
    [3, 2, 2]
    """
    return [total // parts + (part < total % parts) for part in range(parts)]
