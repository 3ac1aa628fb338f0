"""Line charts: figures over lengths, epochs or steps, one line a system or a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r5._util.svg import element
from r5.report.charts.axes import Axis, Plot, picture, shortened

__all__ = ["Line", "line_chart", "thinned"]

_ROW = 17.0
_LABEL_WIDTH = 142.0


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart."""

    name: str
    points: tuple[tuple[float, float], ...]
    style: str = "main"
    """A class of the style sheet: main, mark, rival-1 to rival-4, or quiet, which has no label."""
    band: tuple[tuple[float, float], ...] = ()
    """The interval around each point, where it is known."""


def thinned(points: Sequence[tuple[float, float]], most: int = 240) -> tuple[tuple[float, float], ...]:
    """The points, or so many of them evenly, first and last included: more would not be seen.

    >>> len(thinned([(n, n) for n in range(10_000)])), thinned([(1, 2)])
    (240, ((1, 2),))
    """
    if len(points) <= most:
        return tuple(points)
    return tuple(points[round(n * (len(points) - 1) / (most - 1))] for n in range(most))


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
    """A chart of lines; `labels` name them at their ends (right), in rows beneath (below) or not at all (none).

    The first line is drawn last, over the others.
    """
    width, height = size
    named = [line for line in lines if line.style != "quiet"]
    below = _ROW * len(named) + 8 if labels == "below" else 0.0
    right = width - (_LABEL_WIDTH if labels == "right" else 14)
    left = 14 + 7.4 * max(len(axes[1].show(tick)) for tick in axes[1].ticks)
    plot = Plot(*axes, left=left, top=28.0, right=right, bottom=height - 46 - below)
    drawn = "".join(_line(plot, line) for line in reversed(lines))
    text = {"right": _at_ends, "below": _beneath, "none": _unlabelled}[labels](plot, named)
    return picture(name, title, description, size, plot.grid(), drawn, text)


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


def _at_ends(plot: Plot, lines: Sequence[Line]) -> str:
    ends = [plot.at(*line.points[-1])[1] for line in lines]
    parts = [
        element("text", x=plot.right + 10, y=height + 4, class_=f"label {line.style}", text=_told(plot, line))
        for line, height in zip(lines, apart(ends), strict=True)
    ]
    return element("g", *parts, aria_hidden="true")


def _told(plot: Plot, line: Line) -> str:
    return f"{shortened(line.name, 14)} {plot.y.show(line.points[-1][1])}"


def apart(heights: Sequence[float], gap: float = _ROW) -> list[float]:
    """Heights for labels, as near as can be to those wished for, in the same order, never closer than the gap.

    >>> apart([10.0, 12.0, 100.0])
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
            wishes = [heights[m] - gap * place for place, m in enumerate(groups[-1])]
            tops[-2:] = [sum(wishes) / len(wishes)]
    placed = list(heights)
    for group, top in zip(groups, tops, strict=True):
        for place, n in enumerate(group):
            placed[n] = top + gap * place
    return placed


def _beneath(plot: Plot, lines: Sequence[Line]) -> str:
    parts = []
    for row, line in enumerate(lines):
        height = plot.bottom + 62 + _ROW * row
        sample = element("path", d=f"M{plot.left:g} {height - 4:g}h28", class_="line")
        parts.append(element("g", sample, class_=f"series {line.style}"))
        text = _told(plot, line)
        parts.append(element("text", x=plot.left + 36, y=height, class_=f"label {line.style}", text=text))
    return element("g", *parts, aria_hidden="true")


def _unlabelled(_: Plot, __: Sequence[Line]) -> str:
    return ""
