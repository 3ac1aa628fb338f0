"""Number of threads that this process may use."""

from __future__ import annotations

import os

__all__ = ["usable_threads"]

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
