"""What the charts share: axes with round ticks, the grid behind a chart, and the SVG element around it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from r5._util.svg import element

__all__ = ["Axis", "Plot", "as_count", "as_share", "counted", "nice_axis", "picture", "shortened"]


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "rule"), counted(1200, "rule")
    ('1 rule', '1,200 rules')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def as_share(value: float) -> str:
    """A share as a percentage without needless digits; only none at all is 0%, and only all is 100%.

    >>> as_share(0.9), as_share(0.985), as_share(0.9999), as_share(1.0)
    ('90%', '98.5%', '>99.9%', '100%')
    """
    if 0 < value < 0.0005:
        return "<0.1%"
    if 0.9995 <= value < 1:
        return ">99.9%"
    return f"{100 * value:.1f}".removesuffix(".0") + "%"


def as_count(value: float) -> str:
    """A number with its thousands apart.

    >>> as_count(-7938.0), as_count(0.25)
    ('−7,938', '0.25')
    """
    shown = f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
    return shown.replace("-", "\u2212")


@dataclass(frozen=True, slots=True)
class Axis:
    """A span of figures, which of them are marked, and how they are written."""

    low: float
    high: float
    ticks: tuple[float, ...]
    label: str
    show: Callable[[float], str] = as_count


def nice_axis(
    values: Sequence[float], label: str, show: Callable[[float], str] = as_count, count: int = 5, whole: bool = False
) -> Axis:
    """An axis around the values with about `count` round ticks; `whole` allows whole numbers only.

    Shares, which are shown as such, have no ticks below 0 or above 1.

    >>> nice_axis([0.31, 1.0], "accuracy").ticks
    (0.2, 0.4, 0.6, 0.8, 1.0)
    >>> nice_axis([4, 10], "hops", whole=True).ticks
    (4.0, 6.0, 8.0, 10.0)
    """
    low, high = min(values, default=0.0), max(values, default=1.0)
    if high - low < 1e-9 * max(1.0, abs(high)):
        is_share = show is as_share and 0.0 <= low <= high <= 1.0
        low, high = low - 0.5, high + 0.5
        if is_share:
            low, high = max(low, 0.0), min(high, 1.0)
    step = _round_step((high - low) / max(count - 1, 1))
    step = max(1.0, round(step)) if whole else step
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(float(round(step * n, 12)) for n in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks, label, show)


def _round_step(step: float) -> float:
    """The nearest of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return power * min((1, 2, 5, 10), key=lambda factor: abs(math.log(step / power / factor)))


@dataclass(frozen=True, slots=True)
class Plot:
    """The area of a chart between its axes, in the picture's units."""

    x: Axis
    y: Axis
    left: float
    top: float
    right: float
    bottom: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the data is on the picture."""
        across = (x - self.x.low) / (self.x.high - self.x.low)
        up = (y - self.y.low) / (self.y.high - self.y.low)
        return self.left + across * (self.right - self.left), self.bottom - up * (self.bottom - self.top)

    def grid(self) -> str:
        """Lines across at the ticks of y, the ticks' labels, and what the axes are about."""
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


def picture(
    name: str, title: str, description: str, size: tuple[float, float], *parts: str, interactive: bool = False
) -> str:
    """An inline SVG of that size; `name` must be the only one of its kind on the page.

    An interactive picture is a group, so that the controls in it can be reached, and keeps its size; any other is one
    image, as wide as there is room.

    >>> picture("dot", "A dot", "In the middle", (10, 10), element("circle", cx=5, cy=5, r=1))[:76]
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


def shortened(name: str, most: int) -> str:
    """A name cut to so many characters, for where there is no more room; the whole goes into a title.

    >>> shortened("granddaughter", 8), shortened("aunt", 8)
    ('grandda…', 'aunt')
    """
    return name if len(name) <= most else name[: most - 1] + "…"
