"""exp, log and tanh with the same bits on every machine.

NumPy and the C library choose implementations by processor and version. These are the algorithms of FDLIBM: sums,
products and divisions in a fixed order, which IEEE 754 rounds in one way. The error is below one unit in the last
place.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner, njit_outer

__all__ = ["LOG_2", "exp", "exp_of", "log", "log_of", "tanh_of"]

LOG_2 = 0.6931471805599453
_HIGH, _LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # log(2) in two parts; k * _HIGH is exact
_OVERFLOW, _UNDERFLOW = 709.782712893384, -745.1332191019412  # beyond these, exp is infinite or 0
_NORMAL = 1022  # 2 ** k is a normal number between minus and plus this
_SMALLEST_NORMAL, _TINY = 2.0**-1022, 2.0**-64
_FRACTION, _HALF = (1 << 52) - 1, 1022 << 52  # bits of a float: mask of the fraction; exponent of 0.5


@njit_inner
def power_of_2(k: int) -> float:
    """Return 2 ** k from its bits; a call of the C library takes several times as long."""
    return np.int64((k + 1023) << 52).view(np.float64)


@njit_inner
def exp_of(x: float) -> float:
    """Return the exponential of one number, for kernels: 2 ** k times that of a number near 0."""
    if not x <= _OVERFLOW:
        return x + np.inf
    if x < _UNDERFLOW:
        return 0.0
    k = math.floor(x / LOG_2 + 0.5)
    high = x - k * _HIGH
    low = k * _LOW
    r = high - low
    t = r * r
    c = r - t * (
        1.66666666666666019037e-01
        + t
        * (
            -2.77777777770155933842e-03
            + t * (6.61375632143793436117e-05 + t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))
        )
    )
    found = 1.0 - ((low - r * c / (2.0 - c)) - high)
    # Two steps if 2 ** k is not a normal number; only the last one rounds.
    if k > _NORMAL:
        return found * 2.0 * power_of_2(int64(k) - 1)
    if k < -_NORMAL:
        return found * power_of_2(int64(k) + 64) * _TINY
    return found * power_of_2(int64(k))


@njit_inner
def log_of(x: float) -> float:
    """Return the natural logarithm of one number, for kernels: that of its exponent plus that of a number near 1."""
    if not x > 0.0:
        return -np.inf if x == 0.0 else np.nan
    if x == np.inf:
        return x
    k = int64(0)
    if x < _SMALLEST_NORMAL:
        x *= 1.0 / _TINY
        k -= 64
    bits = int64(np.float64(x).view(np.int64))
    k += (bits >> 52) - 1022
    fraction = np.int64(bits & _FRACTION | _HALF).view(np.float64)
    if fraction < 0.7071067811865476:
        fraction *= 2.0
        k -= 1
    f = fraction - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    odd = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01))
    even = z * (
        6.666666666666735130e-01
        + w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01))
    )
    half = 0.5 * f * f
    return k * _HIGH - ((half - (s * (half + odd + even) + k * _LOW)) - f)


@njit_inner
def tanh_of(x: float) -> float:
    """Return the hyperbolic tangent of one number, for kernels."""
    decay = exp_of(-2.0 * abs(x))
    magnitude = (1.0 - decay) / (1.0 + decay)
    return magnitude if x > 0.0 else -magnitude


@njit_outer
def _exp_all(values: NDArray[np.float64]) -> None:
    for n in range(values.size):
        values[n] = exp_of(values[n])


@njit_outer
def _log_all(values: NDArray[np.float64]) -> None:
    for n in range(values.size):
        values[n] = log_of(values[n])


def exp(values: Any) -> NDArray[np.float64]:
    """Return the exponential of each number of an array, in float64.

    >>> exp([0.0, 2.0, -np.inf]).tolist()
    [1.0, 7.38905609893065, 0.0]
    """
    found = np.array(values, dtype=np.float64, order="C")
    _exp_all(found.reshape(-1))
    return found


def log(values: Any) -> NDArray[np.float64]:
    """Return the natural logarithm of each number of an array, in float64; minus infinity for 0.

    >>> log([1.0, 10.0, 0.0]).tolist()
    [0.0, 2.302585092994046, -inf]
    """
    found = np.array(values, dtype=np.float64, order="C")
    _log_all(found.reshape(-1))
    return found
