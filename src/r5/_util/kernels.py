"""How kernels are compiled: with nothing that they do not need, so that the first use starts soon.

Kernels under `njit_outer`, `njit_shared` and `njit_inner` allocate nothing and keep to loops over
arrays that they are given: each array expression would be compiled into a loop of its own, which takes
many times as long. What they pass on to other kernels has one type throughout: a number that
starts as a constant does so as `int64(0)`, else the other kernel is compiled twice, once for the constant.

Where arrays hold places in other arrays, and much depends on it, they are unsigned: of a signed number each look-up
asks whether it counts from the end.

Sums are taken in the order in which they are written, and no product is joined with a sum into one rounding:
LLVM does neither unless told to by `fastmath`, which no kernel asks for. So each gives the same bits on
every machine that computes as IEEE 754 says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numba import njit

from r5._util.machine_code import keep_by_source

__all__ = ["int64", "njit_entry", "njit_free", "njit_inner", "njit_outer", "njit_private", "njit_shared"]

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
    return _compiled(kernel, error_model="numpy", _nrt=False, no_cfunc_wrapper=True, **options)


def njit_free(kernel: Kernel) -> Kernel:
    """Compile a kernel that allocates nothing and that Python calls; other threads run meanwhile."""
    return njit_outer(kernel, nogil=True)


def njit_shared(kernel: Kernel, **options: bool) -> Kernel:
    """Compile a kernel that only other kernels call; without entries for other callers that takes half the time."""
    return njit_outer(kernel, no_cpython_wrapper=True, **options)


def njit_inner(kernel: Kernel) -> Kernel:
    """Compile a kernel into the kernels that call it: for short ones, and for those with one caller."""
    return njit_shared(kernel, forceinline=True)


def njit_entry(kernel: Kernel) -> Kernel:
    """Compile a kernel that may allocate, and that Python calls; other threads run meanwhile."""
    return _compiled(kernel, nogil=True)


def njit_private(kernel: Kernel) -> Kernel:
    """Compile a kernel that may allocate, and that only other kernels call."""
    return _compiled(kernel, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def _compiled(kernel: Kernel, **options: Any) -> Kernel:
    compiled: Kernel = njit(**options)(kernel)
    keep_by_source(compiled)
    return compiled
