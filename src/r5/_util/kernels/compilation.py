"""Decorators that compile numba kernels with few options, so that compilation is short.

Kernels under `njit_outer`, `njit_shared` and `njit_inner` allocate nothing and contain only loops over their array
arguments. Numba compiles each array expression into a loop of its own, which takes many times as long. Arguments that
one kernel passes to another have one type: a counter starts as `int64(0)`, because a constant has a type of its own
and the other kernel is compiled a second time for it.

Index arrays in hot loops are unsigned: a look-up with a signed index tests whether the index is negative.

Kernels sum in source order and do not fuse multiplications with additions: LLVM does neither without `fastmath`,
which no kernel sets. Results have the same bits on every machine with IEEE 754 arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numba import njit
from numba.core import event

from r5._util.kernels.compile_events import COMPILATIONS
from r5._util.kernels.disk_cache import cache_by_source

__all__ = ["int64", "njit_entry", "njit_free", "njit_inner", "njit_outer", "njit_private", "njit_shared"]

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

if TYPE_CHECKING:
    int64 = int
else:
    int64 = np.int64
"""Convert an integer to 64 bits; in kernels `int` keeps its width."""


_event: Any = event


class _Reporter(event.Listener):
    def on_start(self, _: object) -> None:
        COMPILATIONS.begin()

    def on_end(self, _: object) -> None:
        COMPILATIONS.end()


_event.register("numba:compile", _Reporter())


def njit_outer(kernel: Kernel, **options: bool) -> Kernel:
    """Compile a kernel that allocates nothing; without reference counts it is several times faster.

    Division by zero returns an infinity, as in NumPy.
    """
    return _compiled(kernel, error_model="numpy", _nrt=False, no_cfunc_wrapper=True, **options)


def njit_free(kernel: Kernel) -> Kernel:
    """Compile a kernel that allocates nothing and that Python calls; it releases the GIL."""
    return njit_outer(kernel, nogil=True)


def njit_shared(kernel: Kernel, **options: bool) -> Kernel:
    """Compile a kernel that only other kernels call; without a Python wrapper compilation takes half the time."""
    return njit_outer(kernel, no_cpython_wrapper=True, **options)


def njit_inner(kernel: Kernel) -> Kernel:
    """Compile a kernel inline into its callers: for short kernels and kernels with one caller."""
    return njit_shared(kernel, forceinline=True)


def njit_entry(kernel: Kernel) -> Kernel:
    """Compile a kernel that may allocate and that Python calls; it releases the GIL."""
    return _compiled(kernel, nogil=True)


def njit_private(kernel: Kernel) -> Kernel:
    """Compile a kernel that may allocate and that only other kernels call."""
    return _compiled(kernel, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def _compiled(kernel: Kernel, **options: Any) -> Kernel:
    compiled: Kernel = njit(**options)(kernel)
    cache_by_source(compiled)
    return compiled
