"""Array types, and arrays of ids: 32 bits, contiguous, read-only; kernels are compiled for these alone."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

__all__ = ["FloatArray", "IntArray", "frozen"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int32]


def frozen(values: Iterable[int] | NDArray[np.integer]) -> IntArray:
    """The values as such an array (no copy where it is one already)."""
    array = np.ascontiguousarray(values if isinstance(values, np.ndarray) else list(values), dtype=np.int32)
    array = array if not array.flags.writeable else array.view()
    array.flags.writeable = False
    return array
