"""Axes with round ticks, the grid of a chart, and the SVG element around it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from r5._util.svg import element
from r5.report.charts.formatting import format_figure, format_percent

__all__ = ["Axis", "Plot", "fit_axis", "svg_chart"]


@dataclass(frozen=True, slots=True)
class Axis:
    """Range of an axis, its ticks, and the format of their labels."""

    low: float
    high: float
    ticks: tuple[float, ...]
    label: str
    show: Callable[[float], str] = format_figure


def fit_axis(
    values: Sequence[float],
    label: str,
    show: Callable[[float], str] = format_figure,
    count: int = 5,
    whole: bool = False,
) -> Axis:
    """Return an axis that covers the values with round ticks; an axis of shares stays between 0 and 1.

    Args:
        values: The values.
        label: Label of the axis.
        show: Format of tick labels; `format_percent` marks an axis of shares.
        count: Approximate number of ticks.
        whole: Whether ticks are whole numbers.

    >>> fit_axis([0.31, 1.0], "accuracy").ticks
    (0.2, 0.4, 0.6, 0.8, 1.0)
    >>> fit_axis([4, 10], "hops", whole=True).ticks
    (4.0, 6.0, 8.0, 10.0)
    """
    low, high = min(values, default=0.0), max(values, default=1.0)
    if high - low < 1e-9 * max(1.0, abs(high)):
        is_share = show is format_percent and 0.0 <= low <= high <= 1.0
        low, high = low - 0.5, high + 0.5
        if is_share:
            low, high = max(low, 0.0), min(high, 1.0)
    step = _round_step((high - low) / max(count - 1, 1))
    step = max(1.0, round(step)) if whole else step
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(float(round(step * n, 12)) for n in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks, label, show)


def _round_step(step: float) -> float:
    """Return the nearest of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return power * min((1, 2, 5, 10), key=lambda factor: abs(math.log(step / power / factor)))


@dataclass(frozen=True, slots=True)
class Plot:
    """Area of a chart between its axes, in units of the SVG element."""

    x: Axis
    y: Axis
    left: float
    top: float
    right: float
    bottom: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the SVG coordinates of a data point."""
        across = (x - self.x.low) / (self.x.high - self.x.low)
        up = (y - self.y.low) / (self.y.high - self.y.low)
        return self.left + across * (self.right - self.left), self.bottom - up * (self.bottom - self.top)

    def grid(self) -> str:
        """Return horizontal lines at the ticks of y, tick labels and axis labels as SVG."""
        parts = []
        for tick in self.y.ticks:
            _, height = self.at(self.x.low, tick)
            parts.append(element("path", d=f"M{self.left:g} {height:.2f}H{self.right:g}", class_="grid"))
            shown = self.y.show(tick)
            parts.append(element("text", x=self.left - 8, y=height + 4, text_anchor="end", class_="tick", text=shown))
        for tick in self.x.ticks:
            across, _ = self.at(tick, self.y.low)
            below = self.bottom + 18
            shown = self.x.show(tick)
            parts.append(element("text", x=across, y=below, text_anchor="middle", class_="tick", text=shown))
        middle = (self.left + self.right) / 2
        names = (
            element("text", x=middle, y=self.bottom + 38, text_anchor="middle", class_="axis", text=self.x.label),
            element("text", x=0.0, y=self.top - 12, class_="axis", text=self.y.label),
        )
        return element("g", *parts, *names, aria_hidden="true")


def svg_chart(
    name: str, title: str, description: str, size: tuple[float, float], *parts: str, interactive: bool = False
) -> str:
    """Return an inline SVG.

    An interactive chart is a group, so that the keyboard reaches its controls, and has a fixed size. Any other chart is
    a single image that fills the available width.

    Args:
        name: Prefix of ids, unique on the page.
        title: Title of the chart.
        description: Its content in words, for screen readers.
        size: Width and height.
        *parts: SVG elements.
        interactive: Whether the chart has controls.

    >>> svg_chart("dot", "A dot", "In the middle", (10, 10), element("circle", cx=5, cy=5, r=1))[:76]
    '<svg viewBox="0 0 10 10" class="chart" role="img" aria-labelledby="dot-title'
    """
    width, height = size
    return element(
        "svg",
        element("title", id=f"{name}-title", text=title),
        element("desc", id=f"{name}-description", text=description),
        *parts,
        viewBox=f"0 0 {width:g} {height:g}",
        width=f"{width:g}" if interactive else None,
        height=f"{height:g}" if interactive else None,
        class_="chart",
        role="group" if interactive else "img",
        aria_labelledby=f"{name}-title {name}-description",
    )
