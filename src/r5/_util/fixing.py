"""A function with some of its arguments fixed, which shows the others alone: said once, offered by several names."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

__all__ = ["fixing"]

T = TypeVar("T")


def fixing(function: Callable[..., T], text: str, **given: object) -> Callable[..., T]:
    """The function with those arguments given; it takes the others by name, and `text` is its docstring.

    >>> def power(base: float, exponent: float = 2) -> float: return base**exponent
    >>> cube = fixing(power, "The third power.", exponent=3)
    >>> cube(base=2), str(inspect.signature(cube)), cube.__doc__
    (8, "(*, base: 'float') -> 'float'", 'The third power.')
    """

    @wraps(function)
    def fixed(**others: object) -> T:
        return function(**given, **others)

    whole = inspect.signature(function)
    left = [p.replace(kind=p.KEYWORD_ONLY) for name, p in whole.parameters.items() if name not in given]
    fixed.__signature__ = whole.replace(parameters=left)  # type: ignore[attr-defined]
    fixed.__annotations__ = {name: kind for name, kind in function.__annotations__.items() if name not in given}
    fixed.__doc__ = text
    return fixed
