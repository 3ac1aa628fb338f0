"""Number of threads that this process may use, and attributes that each thread has for itself."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

__all__ = ["per_thread", "usable_threads"]

Value = TypeVar("Value")

_LIMITS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS")


def usable_threads() -> int:
    """Return the number of cores of this process, limited by NUMBA_NUM_THREADS and OMP_NUM_THREADS; at least 1.

    Results never depend on it.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(min([cores, *filter(None, map(_limit, _LIMITS))]), 1)


def _limit(variable: str) -> int | None:
    """Return the limit in an environment variable, None if it holds none; of a list (OpenMP), the first number."""
    first = os.environ.get(variable, "").partition(",")[0].strip()
    return int(first) if first.isdecimal() and len(first) < 9 and int(first) > 0 else None


class per_thread(Generic[Value]):  # noqa: N801, a decorator
    """Attribute that is computed once for each thread, such as scratch arrays."""

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute, self.__doc__ = compute, compute.__doc__

    def __get__(self, instance: object, owner: type) -> Value:
        own = instance.__dict__.setdefault("_per_thread", threading.local()).__dict__
        name = self._compute.__name__
        if name not in own:
            own[name] = self._compute(instance)
        value: Value = own[name]
        return value
