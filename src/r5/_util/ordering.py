"""Comparison, sorting and rounding with a tolerance, so that rounding errors decide nothing.

Numbers within a relative difference of 1e-9 are ties. All ranking and selection uses these functions, or their twins
for kernels in `r5._util.kernels.comparison_kernels`. A stated rule breaks ties: the first, or the smaller name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "argmax",
    "at_least",
    "format_number",
    "is_close",
    "natural_key",
    "round_half_up",
    "round_significant",
    "sort_descending",
    "top_indices",
]

Item = TypeVar("Item")

_RELATIVE = 1e-9
_ABSOLUTE = 1e-10
"""Tolerances: numbers within either of them are ties."""


def natural_key(name: str) -> tuple[list[tuple[int, int, str]], str]:
    """Return a sort key under which `r_2` comes before `r_10`."""
    parts = re.split(r"(\d{1,18})", name, flags=re.ASCII)
    return [(0, int(p), "") if i % 2 else (1, 0, p) for i, p in enumerate(parts)], name


def is_close(one: float, other: float) -> bool:
    """Return whether two numbers are equal up to the tolerances.

    >>> is_close(0.1 + 0.2, 0.3), is_close(0.3, 0.300001)
    (True, False)
    """
    return math.isclose(one, other, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def at_least(values: Any, bound: float) -> Any:
    """Return whether a number, or each number of an array, is at least the bound, up to the tolerances."""
    return values >= bound - max(_RELATIVE * abs(bound), _ABSOLUTE)


def argmax(values: Sequence[float] | NDArray[np.floating]) -> int:
    """Return the index of the largest number; of ties, the first.

    >>> argmax([0.1, 0.3, 0.1 + 0.2])
    1
    """
    found = np.asarray(values)
    return int(np.argmax(at_least(found, float(found.max()))))


def top_indices(values: NDArray[np.floating], count: int) -> list[int]:
    """Return the indices of the `count` largest numbers in descending order; of ties, the first.

    >>> top_indices(np.array([0.1, 0.3, 0.5, 0.1 + 0.2]), 2)
    [2, 1]
    """
    count = min(count, values.size)
    if count < 1:
        return []
    least = float(np.partition(values, values.size - count)[values.size - count])
    indices = np.flatnonzero(at_least(values, least)).tolist()
    return sort_descending(indices, lambda index: float(values[index]), key=lambda index: index)[:count]


def sort_descending(
    items: Iterable[Item], *measures: Callable[[Item], float], key: Callable[[Item], Any]
) -> list[Item]:
    """Sort items by measures in descending order; later measures, and at last the key, break ties.

    >>> sort_descending(["b", "c", "a"], {"a": 0.1 + 0.2, "b": 0.3, "c": 0.4}.__getitem__, key=str)
    ['c', 'a', 'b']
    """
    if not measures:
        return sorted(items, key=key)
    measured = sorted(((measures[0](item), item) for item in items), key=lambda pair: -pair[0])
    found: list[Item] = []
    start = 0
    for stop in range(1, len(measured) + 1):
        if stop == len(measured) or not is_close(measured[stop - 1][0], measured[stop][0]):
            group = (item for _, item in measured[start:stop])
            found += sort_descending(group, *measures[1:], key=key) if stop - start > 1 else group
            start = stop
    return found


def round_half_up(value: float, decimals: int) -> float:
    """Round to a number of decimals; halves go up, also those slightly below a half by rounding.

    >>> round_half_up(0.0125, 3), round_half_up(0.0125 - 1e-15, 3)
    (0.013, 0.013)
    """
    scaled = value * 10.0**decimals
    return math.floor(scaled + 0.5 + max(_RELATIVE * abs(scaled), _ABSOLUTE)) / 10.0**decimals


def round_significant(value: float) -> float:
    """Round to nine significant digits, for keys: ties almost always round to the same number.

    >>> round_significant(0.1 + 0.2) == round_significant(0.3)
    True
    """
    return float(f"{value:.8e}")


def format_number(value: float, form: str) -> str:
    """Format a number; halves round away from 0 and there is no minus zero.

    >>> format_number(0.0625, ".3f"), f"{0.0625:.3f}"
    ('0.063', '0.062')
    """
    return format(0.0 if is_close(value, 0.0) else value * (1.0 + _RELATIVE), form)
