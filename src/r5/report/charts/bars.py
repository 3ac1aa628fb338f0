"""Horizontal bar charts of shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r5._util.svg import element
from r5.report.charts.axes import svg_chart
from r5.report.charts.formatting import format_percent, truncate_name

__all__ = ["Bar", "bar_chart"]

_ROW = 30.0


@dataclass(frozen=True, slots=True)
class Bar:
    """One row: a share from 0 to 1, and its interval if known."""

    name: str
    share: float
    style: str = "quiet"
    """Class of the style sheet: main, rival-1 to rival-4, or quiet."""
    interval: tuple[float, float] | None = None
    note: str = ""
    """Source of the figure, shown in the tooltip."""


def bar_chart(name: str, bars: Sequence[Bar], *, title: str, description: str, width: float = 400.0) -> str:
    """Return horizontal bars from 0 to 1 as SVG, in the given order.

    >>> chart = bar_chart("one", [Bar("this model", 0.5, "main")], title="Accuracy", description="One bar")
    >>> "50%" in chart
    True
    """
    left, right = 150.0, width - 58
    rows = []
    for row, bar in enumerate(bars):
        middle = _ROW * row + _ROW / 2
        end = left + bar.share * (right - left)
        parts = [
            element("title", text=f"{bar.name}: {format_percent(bar.share)}{bar.note and f', {bar.note}'}"),
            element(
                "text", x=left - 12, y=middle + 4, text_anchor="end", class_="name", text=truncate_name(bar.name, 21)
            ),
            element("rect", x=left, y=middle - 8, width=right - left, height=16, rx=3, class_="track"),
            element("rect", x=left, y=middle - 8, width=end - left, height=16, rx=3, class_="bar"),
        ]
        if bar.interval is not None:
            low, high = (left + bound * (right - left) for bound in bar.interval)
            parts.append(element("path", d=f"M{low:.1f} {middle:g}H{high:.1f}", class_="whisker"))
        parts.append(element("text", x=right + 10, y=middle + 4, class_="figure", text=format_percent(bar.share)))
        rows.append(element("g", *parts, class_=f"row {bar.style}"))
    return svg_chart(name, title, description, (width, _ROW * len(bars)), *rows)
