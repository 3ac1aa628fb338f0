"""Two folders in each other's place in one step, which no kill can come between."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

__all__ = ["exchange"]

_HERE = -100  # AT_FDCWD of Linux: paths are as they are for everybody else
_SWAP = 2  # RENAME_EXCHANGE


def exchange(first: Path, second: Path) -> bool:
    """Swap two paths that are there; False, with nothing done, where the system or the disk cannot."""
    if sys.platform != "linux":
        return False
    try:
        rename = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError):
        return False
    return int(rename(_HERE, os.fsencode(first), _HERE, os.fsencode(second), _SWAP)) == 0
