"""How many threads this process may use."""

from __future__ import annotations

import os

__all__ = ["usable_threads"]

_LIMITS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS")


def usable_threads() -> int:
    """As many as there are cores for this process, and no more than the environment says: 1 at the least.

    Results never depend on it.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(min([cores, *filter(None, map(_limit, _LIMITS))]), 1)


def _limit(variable: str) -> int | None:
    """What an environment variable says; OpenMP's may be a list, of which the first number counts."""
    first = os.environ.get(variable, "").partition(",")[0].strip()
    return int(first) if first.isdecimal() and len(first) < 9 and int(first) > 0 else None
