"""Memory: how much there is, and a refusal, before anything is allocated, of work that needs more."""

from __future__ import annotations

from pathlib import Path

from r5.errors import R5Error

__all__ = ["available_memory", "check_memory"]

_SYSTEM = Path("/proc/meminfo")
_OWN = Path("/proc/self/statm")
_GROUP = Path("/sys/fs/cgroup")
_SOME = 64 << 20
"""Less than this is never worth a look."""


def check_memory(needed: float, what: str, change: str) -> None:
    """An error where `what` would take more bytes than there are; `change` says which setting takes less."""
    if needed < _SOME:
        return
    there = available_memory()
    if there is not None and needed > there:
        raise R5Error(
            f"{what} would take about {_size(needed)} of memory, of which {_size(there)} are available; {change}"
        )


def available_memory() -> int | None:
    """Bytes that this process may still take without swapping; None where the system does not say."""
    limits = [limit for limit in (_of_system(), _of_group(), _of_process()) if limit is not None]
    return max(min(limits), 0) if limits else None


def _of_system() -> int | None:
    try:
        lines = _SYSTEM.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, IndexError, StopIteration):
        return None


def _of_group() -> int | None:
    """What the container that we are in leaves, where it has a limit."""
    try:
        most = (_GROUP / "memory.max").read_text(encoding="ascii").strip()
        return None if most == "max" else int(most) - int((_GROUP / "memory.current").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _of_process() -> int | None:
    """What the limit of this process's address space leaves (`ulimit -v`)."""
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most == resource.RLIM_INFINITY:
            return None
        return int(most) - int(_OWN.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError, IndexError):
        return None


def _size(amount: float) -> str:
    """Bytes for people.

    >>> _size(3.2e9), _size(2e8)
    ('3.2 GB', '0.2 GB')
    """
    return f"{amount / 1e9:,.1f} GB"
