"""Atomic swap of two paths."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

__all__ = ["swap_paths"]

_WORKING_DIRECTORY = -100  # AT_FDCWD of Linux: relative paths start at the working directory
_SWAP = 2  # RENAME_EXCHANGE


def swap_paths(first: Path, second: Path) -> bool:
    """Swap two existing paths atomically; return False, with nothing done, if the system or the disk cannot."""
    if sys.platform != "linux":
        return False
    try:
        rename = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError):
        return False
    return int(rename(_WORKING_DIRECTORY, os.fsencode(first), _WORKING_DIRECTORY, os.fsencode(second), _SWAP)) == 0
