"""Comparisons that rounding does not decide, for kernels; the twins of those in `r5._util.ordering`."""

from __future__ import annotations

from r5._util.kernels.compilation import njit_inner

__all__ = ["is_greater", "is_greater_difference"]

_RELATIVE = 1e-9
_ABSOLUTE = 1e-10
"""Tolerances; those of `r5._util.ordering`."""


@njit_inner
def is_greater(value: float, top: float) -> bool:
    """Return whether a number exceeds another by more than the relative tolerance."""
    return value > top + _RELATIVE * abs(top)


@njit_inner
def is_greater_difference(value: float, top: float) -> bool:
    """Return whether a difference of larger numbers exceeds another by more than both tolerances."""
    return value > top + max(_RELATIVE * abs(top), _ABSOLUTE)
