"""exp, log and tanh with the same bits on every machine.

Those of NumPy and of the C library depend on the machine's vector units and on the library's version. These are the
classical ones of FDLIBM: sums, products and divisions in a fixed order,
which IEEE 754 rounds in one way only; within one unit in the last place of the truth.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels import int64, njit_inner, njit_outer

__all__ = ["LOG_2", "exp", "exp_of", "log", "log_of", "tanh_of"]

LOG_2 = 0.6931471805599453
_HIGH, _LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # of the logarithm of 2; k * _HIGH is exact
_MOST, _LEAST = 709.782712893384, -745.1332191019412  # beyond these, exp is infinite or 0
_USUAL = 1022  # 2 ** k has all its digits between minus and plus this
_LEAST_USUAL, _TINY = 2.0**-1022, 2.0**-64
_DIGITS, _HALF = (1 << 52) - 1, 1022 << 52  # of the bits of a number: its digits; the exponent of one half


@njit_inner
def power_of_2(k: int) -> float:
    """2 ** k, by writing down its bits: a call of the C library takes several times as long."""
    return np.int64((k + 1023) << 52).view(np.float64)


@njit_inner
def exp_of(x: float) -> float:
    """The exponential of one number, for kernels: 2 ** k times that of a number near 0."""
    if not x <= _MOST:
        return x + np.inf
    if x < _LEAST:
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
    # In two steps where 2 ** k is none of the usual numbers; only the last one rounds.
    if k > _USUAL:
        return found * 2.0 * power_of_2(int64(k) - 1)
    if k < -_USUAL:
        return found * power_of_2(int64(k) + 64) * _TINY
    return found * power_of_2(int64(k))


@njit_inner
def log_of(x: float) -> float:
    """The natural logarithm of one number, for kernels: that of its exponent, and of a number near 1."""
    if not x > 0.0:
        return -np.inf if x == 0.0 else np.nan
    if x == np.inf:
        return x
    k = int64(0)
    if x < _LEAST_USUAL:
        x *= 1.0 / _TINY
        k -= 64
    bits = int64(np.float64(x).view(np.int64))
    k += (bits >> 52) - 1022
    fraction = np.int64(bits & _DIGITS | _HALF).view(np.float64)
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
    """The hyperbolic tangent of one number, for kernels."""
    less = exp_of(-2.0 * abs(x))
    size = (1.0 - less) / (1.0 + less)
    return size if x > 0.0 else -size


@njit_outer
def _exp_all(values: NDArray[np.float64]) -> None:
    for n in range(values.size):
        values[n] = exp_of(values[n])


@njit_outer
def _log_all(values: NDArray[np.float64]) -> None:
    for n in range(values.size):
        values[n] = log_of(values[n])


def exp(values: Any) -> NDArray[np.float64]:
    """The exponential of each number of an array.

    >>> exp([0.0, 2.0, -np.inf]).tolist()
    [1.0, 7.38905609893065, 0.0]
    """
    found = np.array(values, dtype=np.float64, order="C")
    _exp_all(found.reshape(-1))
    return found


def log(values: Any) -> NDArray[np.float64]:
    """The natural logarithm of each number of an array; of 0, minus infinity.

    >>> log([1.0, 10.0, 0.0]).tolist()
    [0.0, 2.302585092994046, -inf]
    """
    found = np.array(values, dtype=np.float64, order="C")
    _log_all(found.reshape(-1))
    return found
