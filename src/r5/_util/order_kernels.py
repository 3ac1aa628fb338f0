"""What `r5._util.order` does, for kernels."""

from __future__ import annotations

from r5._util.kernels import njit_inner

__all__ = ["beats", "exceeds"]

_NEAR = 1e-9
_NOTHING = 1e-10
"""As `r5._util.order` has them."""


@njit_inner
def beats(value: float, top: float) -> bool:
    """Whether a number is larger than another, and not only by how it was rounded."""
    return value > top + _NEAR * abs(top)


@njit_inner
def exceeds(value: float, top: float) -> bool:
    """As `beats`, for finite numbers whose rounding is that of larger ones they are the difference of."""
    return value > top + max(_NEAR * abs(top), _NOTHING)
