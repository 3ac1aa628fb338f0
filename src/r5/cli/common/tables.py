"""Text tables."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["format_columns"]


def format_columns(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Align rows of cells in columns, the first `left` of them flush left, without trailing blanks.

    >>> print(format_columns([("name", "n"), ("a", "10")]))
    name   n
    a     10
    """
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        sized = zip(row, widths, range(len(row)), strict=True)
        cells = [f"{cell:<{width}}" if number < left else f"{cell:>{width}}" for cell, width, number in sized]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
