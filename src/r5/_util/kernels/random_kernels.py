"""SplitMix64: random numbers and digests of 64 bits."""

from __future__ import annotations

import numpy as np

from r5._util.kernels.compilation import njit_inner

__all__ = ["GOLDEN_RATIO", "mix_bits"]

GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)
"""Step of the state of SplitMix64: 2 ** 64 divided by the golden ratio."""


@njit_inner
def mix_bits(value: np.uint64) -> np.uint64:
    """Mix the bits of a state or a number (SplitMix64)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
