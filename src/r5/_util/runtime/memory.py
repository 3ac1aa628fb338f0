"""Available memory, and a check before large allocations."""

from __future__ import annotations

from pathlib import Path

from r5.errors import R5Error

__all__ = ["available_memory", "check_memory"]

_SYSTEM = Path("/proc/meminfo")
_PROCESS = Path("/proc/self/statm")
_CONTROL_GROUP = Path("/sys/fs/cgroup")
_UNCHECKED = 64 << 20
"""Allocations below this many bytes are not checked."""


def check_memory(needed: float, what: str, change: str) -> None:
    """Check that an allocation fits into memory.

    Args:
        needed: Bytes of the allocation.
        what: Computation that needs them, for the message.
        change: Setting that reduces them, for the message.

    Raises:
        R5Error: Less memory is available.
    """
    if needed < _UNCHECKED:
        return
    available = available_memory()
    if available is not None and needed > available:
        sizes = f"about {_format_bytes(needed)} of memory, of which {_format_bytes(available)} are available"
        raise R5Error(f"{what} would take {sizes}; {change}")


def available_memory() -> int | None:
    """Return the bytes that this process may allocate without swapping; None if the system does not report them."""
    limits = [limit for limit in (_system_memory(), _control_group_memory(), _process_memory()) if limit is not None]
    return max(min(limits), 0) if limits else None


def _system_memory() -> int | None:
    try:
        lines = _SYSTEM.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, IndexError, StopIteration):
        return None


def _control_group_memory() -> int | None:
    """Return the free bytes of the control group of this process, None without a limit."""
    try:
        most = (_CONTROL_GROUP / "memory.max").read_text(encoding="ascii").strip()
        return (
            None if most == "max" else int(most) - int((_CONTROL_GROUP / "memory.current").read_text(encoding="ascii"))
        )
    except (OSError, ValueError):
        return None


def _process_memory() -> int | None:
    """Return the free bytes of the address space under `ulimit -v`, None without a limit."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return None
        return int(limit) - int(_PROCESS.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError, IndexError):
        return None


def _format_bytes(amount: float) -> str:
    """Format a number of bytes.

    >>> _format_bytes(3.2e9), _format_bytes(2e8)
    ('3.2 GB', '0.2 GB')
    """
    return f"{amount / 1e9:,.1f} GB"
