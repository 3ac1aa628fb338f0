"""Line charts: figures over lengths, epochs or steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r5._util.svg import element
from r5.report.charts.axes import Axis, Plot, svg_chart
from r5.report.charts.formatting import truncate_name

__all__ = ["Line", "line_chart", "thin_points"]

_ROW = 17.0
_LABEL_WIDTH = 142.0


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart."""

    name: str
    points: tuple[tuple[float, float], ...]
    style: str = "main"
    """Class of the style sheet: main, mark, rival-1 to rival-4, or quiet, which has no label."""
    band: tuple[tuple[float, float], ...] = ()
    """Interval of each point, if known."""


def thin_points(points: Sequence[tuple[float, float]], limit: int = 240) -> tuple[tuple[float, float], ...]:
    """Return at most `limit` of the points at even distances, the first and last included.

    >>> len(thin_points([(n, n) for n in range(10_000)])), thin_points([(1, 2)])
    (240, ((1, 2),))
    """
    if len(points) <= limit:
        return tuple(points)
    return tuple(points[round(n * (len(points) - 1) / (limit - 1))] for n in range(limit))


def line_chart(
    name: str,
    lines: Sequence[Line],
    axes: tuple[Axis, Axis],
    *,
    title: str,
    description: str,
    size: tuple[float, float],
    labels: str = "none",
) -> str:
    """Return a line chart as SVG; the first line is drawn on top.

    Args:
        name: Prefix of ids, unique on the page.
        lines: The lines.
        axes: Horizontal and vertical axis.
        title: Title of the chart.
        description: Its content in words, for screen readers.
        size: Width and height.
        labels: Position of line labels: `right` (at the line ends), `below` or `none`.
    """
    width, height = size
    named = [line for line in lines if line.style != "quiet"]
    below = _ROW * len(named) + 8 if labels == "below" else 0.0
    right = width - (_LABEL_WIDTH if labels == "right" else 14)
    left = 14 + 7.4 * max(len(axes[1].show(tick)) for tick in axes[1].ticks)
    plot = Plot(*axes, left=left, top=28.0, right=right, bottom=height - 46 - below)
    drawn = "".join(_line(plot, line) for line in reversed(lines))
    text = {"right": _labels_right, "below": _labels_below, "none": _no_labels}[labels](plot, named)
    return svg_chart(name, title, description, size, plot.grid(), drawn, text)


def _line(plot: Plot, line: Line) -> str:
    places = [plot.at(*point) for point in line.points]
    parts = [element("title", text=line.name)]
    if line.band:
        low = [plot.at(x, bound[0]) for (x, _), bound in zip(line.points, line.band, strict=True)]
        high = [plot.at(x, bound[1]) for (x, _), bound in zip(line.points, line.band, strict=True)]
        parts.append(element("polygon", points=_points([*high, *reversed(low)]), class_="band"))
    parts.append(element("polyline", points=_points(places), class_="line"))
    if len(places) <= 30 and line.style in ("main", "mark"):
        parts += [
            element(
                "circle",
                element("title", text=f"{line.name}: {plot.x.show(x)}, {plot.y.show(y)}"),
                cx=across,
                cy=up,
                r=3.5,
                class_="dot",
            )
            for (x, y), (across, up) in zip(line.points, places, strict=True)
        ]
    return element("g", *parts, class_=f"series {line.style}")


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _labels_right(plot: Plot, lines: Sequence[Line]) -> str:
    ends = [plot.at(*line.points[-1])[1] for line in lines]
    parts = [
        element("text", x=plot.right + 10, y=height + 4, class_=f"label {line.style}", text=_label_text(plot, line))
        for line, height in zip(lines, separate_labels(ends), strict=True)
    ]
    return element("g", *parts, aria_hidden="true")


def _label_text(plot: Plot, line: Line) -> str:
    return f"{truncate_name(line.name, 14)} {plot.y.show(line.points[-1][1])}"


def separate_labels(heights: Sequence[float], gap: float = _ROW) -> list[float]:
    """Return heights in the same order, at least a gap apart and as close as possible to the given ones.

    >>> separate_labels([10.0, 12.0, 100.0])
    [2.5, 19.5, 100.0]
    """
    order = sorted(range(len(heights)), key=lambda n: heights[n])
    groups: list[list[int]] = []
    tops: list[float] = []
    for n in order:
        groups.append([n])
        tops.append(heights[n])
        while len(groups) > 1 and tops[-2] + gap * len(groups[-2]) > tops[-1]:
            groups[-2:] = [groups[-2] + groups[-1]]
            wanted = [heights[m] - gap * index for index, m in enumerate(groups[-1])]
            tops[-2:] = [sum(wanted) / len(wanted)]
    placed = list(heights)
    for group, top in zip(groups, tops, strict=True):
        for index, n in enumerate(group):
            placed[n] = top + gap * index
    return placed


def _labels_below(plot: Plot, lines: Sequence[Line]) -> str:
    parts = []
    for row, line in enumerate(lines):
        height = plot.bottom + 62 + _ROW * row
        sample = element("path", d=f"M{plot.left:g} {height - 4:g}h28", class_="line")
        parts.append(element("g", sample, class_=f"series {line.style}"))
        text = _label_text(plot, line)
        parts.append(element("text", x=plot.left + 36, y=height, class_=f"label {line.style}", text=text))
    return element("g", *parts, aria_hidden="true")


def _no_labels(_: Plot, __: Sequence[Line]) -> str:
    return ""
