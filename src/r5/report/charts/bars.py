"""Bars: one share a row, this model's first among those published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r5._util.svg import element
from r5.report.charts.axes import as_share, picture, shortened

__all__ = ["Bar", "bar_chart"]

_ROW = 30.0


@dataclass(frozen=True, slots=True)
class Bar:
    """One row: a share of one, and the interval around it where it is known."""

    name: str
    share: float
    style: str = "quiet"
    """A class of the style sheet: main, rival-1 to rival-4, or quiet."""
    interval: tuple[float, float] | None = None
    note: str = ""
    """Where the figure is from, for those who point at it."""


def bar_chart(name: str, bars: Sequence[Bar], *, title: str, description: str, width: float = 400.0) -> str:
    """Horizontal bars from 0 to 1, in the order given, with their names and figures.

    >>> chart = bar_chart("one", [Bar("this model", 0.5, "main")], title="Accuracy", description="One bar")
    >>> "50%" in chart
    True
    """
    left, right = 150.0, width - 58
    rows = []
    for place, bar in enumerate(bars):
        middle = _ROW * place + _ROW / 2
        end = left + bar.share * (right - left)
        parts = [
            element("title", text=f"{bar.name}: {as_share(bar.share)}{bar.note and f', {bar.note}'}"),
            element("text", x=left - 12, y=middle + 4, text_anchor="end", class_="name", text=shortened(bar.name, 21)),
            element("rect", x=left, y=middle - 8, width=right - left, height=16, rx=3, class_="track"),
            element("rect", x=left, y=middle - 8, width=end - left, height=16, rx=3, class_="bar"),
        ]
        if bar.interval is not None:
            low, high = (left + bound * (right - left) for bound in bar.interval)
            parts.append(element("path", d=f"M{low:.1f} {middle:g}H{high:.1f}", class_="whisker"))
        parts.append(element("text", x=right + 10, y=middle + 4, class_="figure", text=as_share(bar.share)))
        rows.append(element("g", *parts, class_=f"row {bar.style}"))
    return picture(name, title, description, (width, _ROW * len(bars)), *rows)
