"""Orders that people expect."""

from __future__ import annotations

import re

__all__ = ["natural_key"]


def natural_key(name: str) -> tuple[list[tuple[int, int, str]], str]:
    """Sort key under which `r_2` comes before `r_10`."""
    parts = re.split(r"(\d{1,18})", name, flags=re.ASCII)
    return [(0, int(p), "") if i % 2 else (1, 0, p) for i, p in enumerate(parts)], name
