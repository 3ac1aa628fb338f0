"""How kernels are compiled: with nothing that they do not need, so that the first use starts soon.

Kernels under `njit_outer`, `njit_shared` and `njit_inner` allocate nothing and keep to loops over
arrays that they are given: each array expression would be compiled into a loop of its own, which takes
many times as long. What they pass on to other kernels has one type throughout: a number that
starts as a constant does so as `int64(0)`, else the other kernel is compiled twice, once for the constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numba import njit

__all__ = ["int64", "njit_inner", "njit_outer", "njit_private", "njit_shared"]

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

if TYPE_CHECKING:
    int64 = int
else:
    int64 = np.int64
"""Makes any whole number one of 64 bits; in kernels `int` leaves its size as it is."""


def njit_outer(kernel: Kernel, **options: bool) -> Kernel:
    """Compile a kernel that allocates nothing, so that arrays need no reference counts: several times faster.

    Division by zero gives an infinity, as in NumPy.
    """
    every: dict[str, Any] = {"cache": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True, **options}
    compiled: Kernel = njit(**every)(kernel)
    return compiled


def njit_shared(kernel: Kernel, **options: bool) -> Kernel:
    """Compile a kernel that only other kernels call; without entries for other callers that takes half the time."""
    return njit_outer(kernel, no_cpython_wrapper=True, **options)


def njit_inner(kernel: Kernel) -> Kernel:
    """Compile a kernel into the kernels that call it: for short ones, and for those with one caller."""
    return njit_shared(kernel, forceinline=True)


def njit_private(**options: Any) -> Callable[[Kernel], Kernel]:
    """Compile a kernel that may allocate, and that only other kernels call."""
    every: dict[str, Any] = {"cache": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, **options}
    compiled: Callable[[Kernel], Kernel] = njit(**every)
    return compiled
