"""Orders that people expect, and that rounding does not decide.

Numbers that differ by less than a billionth of themselves are equal here: what is left of them is how the machine
rounded. Whatever is ranked, chosen or compared goes through these functions (kernels: `r5._util.order_kernels`),
and a rule that is written down decides between equals: the first, or the smaller name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "alike",
    "at_least",
    "digits",
    "first_largest",
    "largest",
    "largest_first",
    "level",
    "natural_key",
    "nine_digits",
]

Item = TypeVar("Item")

_NEAR = 1e-9
"""Numbers are alike that differ by at most this share of the larger one, ..."""
_NOTHING = 1e-10
"""... or by at most this."""


def natural_key(name: str) -> tuple[list[tuple[int, int, str]], str]:
    """Sort key under which `r_2` comes before `r_10`."""
    parts = re.split(r"(\d{1,18})", name, flags=re.ASCII)
    return [(0, int(p), "") if i % 2 else (1, 0, p) for i, p in enumerate(parts)], name


def alike(one: float, other: float) -> bool:
    """Whether two numbers are equal up to rounding.

    >>> alike(0.1 + 0.2, 0.3), alike(0.3, 0.300001)
    (True, False)
    """
    return math.isclose(one, other, rel_tol=_NEAR, abs_tol=_NOTHING)


def at_least(values: Any, bound: float) -> Any:
    """Whether a number, or each of an array, is no less than the bound, up to rounding."""
    return values >= bound - max(_NEAR * abs(bound), _NOTHING)


def first_largest(values: Sequence[float] | NDArray[np.floating]) -> int:
    """The place of the largest number, the first of those alike.

    >>> first_largest([0.1, 0.3, 0.1 + 0.2])
    1
    """
    found = np.asarray(values)
    return int(np.argmax(at_least(found, float(found.max()))))


def largest(values: NDArray[np.floating], count: int) -> list[int]:
    """The places of the so many largest numbers, the largest first; of those alike, the first.

    >>> largest(np.array([0.1, 0.3, 0.5, 0.1 + 0.2]), 2)
    [2, 1]
    """
    count = min(count, values.size)
    if count < 1:
        return []
    least = float(np.partition(values, values.size - count)[values.size - count])
    places = np.flatnonzero(at_least(values, least)).tolist()
    return largest_first(places, lambda place: float(values[place]), key=lambda place: place)[:count]


def largest_first(items: Iterable[Item], *measures: Callable[[Item], float], key: Callable[[Item], Any]) -> list[Item]:
    """The items sorted: the largest by the first measure first, those alike in it by the next, at last by the key.

    >>> largest_first(["b", "c", "a"], {"a": 0.1 + 0.2, "b": 0.3, "c": 0.4}.__getitem__, key=str)
    ['c', 'a', 'b']
    """
    if not measures:
        return sorted(items, key=key)
    measured = sorted(((measures[0](item), item) for item in items), key=lambda pair: -pair[0])
    found: list[Item] = []
    start = 0
    for stop in range(1, len(measured) + 1):
        if stop == len(measured) or not alike(measured[stop - 1][0], measured[stop][0]):
            group = (item for _, item in measured[start:stop])
            found += largest_first(group, *measures[1:], key=key) if stop - start > 1 else group
            start = stop
    return found


def level(value: float, decimals: int) -> float:
    """The number to so many decimals; halves, also those that rounding has taken a little from, go up.

    >>> level(0.0125, 3), level(0.0125 - 1e-15, 3)
    (0.013, 0.013)
    """
    scaled = value * 10.0**decimals
    return math.floor(scaled + 0.5 + max(_NEAR * abs(scaled), _NOTHING)) / 10.0**decimals


def nine_digits(value: float) -> float:
    """The number to nine digits, for keys: numbers alike are all but always the same then.

    >>> nine_digits(0.1 + 0.2) == nine_digits(0.3)
    True
    """
    return float(f"{value:.8e}")


def digits(value: float, form: str) -> str:
    """The number as `format` writes it, but halves of the last digit always away from 0, and no 0 below 0.

    >>> digits(0.0625, ".3f"), f"{0.0625:.3f}"
    ('0.063', '0.062')
    """
    return format(0.0 if alike(value, 0.0) else value * (1.0 + _NEAR), form)
