"""What `r5._util.order` does, for kernels."""

from __future__ import annotations

from r5._util.kernels import njit_inner

__all__ = ["beats"]

_NEAR = 1e-9
"""As `r5._util.order` has it."""


@njit_inner
def beats(value: float, top: float) -> bool:
    """Whether a number is larger than another, and not only by how it was rounded."""
    return value > top + _NEAR * abs(top)
