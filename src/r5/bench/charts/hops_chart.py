"""Line chart of accuracy by hops as plain SVG, for light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from r5._util.svg import element
from r5.bench.experiments.experiment import Experiment
from r5.bench.records.store import Record
from r5.bench.records.summary import Summary, summarize
from r5.errors import R5Error

__all__ = ["draw_hops_chart"]

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 720, 360, 56, 24, 190, 48
_ENGINES = {"r5": "#0b6e4f", "grammar": "#1f77b4"}
_STYLE = (
    "text{fill:#374151;font:13px sans-serif}.grid{stroke:#e5e7eb}.page{fill:#fff}"
    "@media(prefers-color-scheme:dark){text{fill:#d1d5db}.grid{stroke:#374151}.page{fill:#0d1117}"
    "circle,polyline,path[stroke]{filter:brightness(1.7)}}"
)
_PUBLISHED_COLOURS = {"R5": "#6b7280", "CTP_A": "#b45309", "LSTM_s": "#a21caf", "CNN_s": "#b91c1c"}
"""Colours of the strongest published systems of their kind."""


@dataclass(frozen=True)
class _Line:
    """Accuracy of one system at each number of hops."""

    name: str
    values: tuple[float, ...]
    colour: str
    published: bool = False


def draw_hops_chart(
    experiment: Experiment, records: Mapping[str, Record], colours: Mapping[str, str] = _PUBLISHED_COLOURS
) -> str:
    """Draw our engines and some published systems: the published figures (dashed) and those measured here.

    Args:
        experiment: An experiment with results by hops.
        records: Records by key.
        colours: Colours of the published systems.

    Raises:
        R5Error: There are no runs of our engines.
    """
    run = [one for one in summarize(experiment, records) if all(hop in one.by_length for hop in experiment.hops)]
    # If an engine has two rows, the last one, the tuned preset, is drawn.
    ours = {one.row.engine: one for one in run if one.row.engine in _ENGINES}
    if not ours:
        raise R5Error(f"there are no runs of {experiment.name} by the engines r5 and grammar to draw")

    def values(one: Summary) -> tuple[float, ...]:
        return tuple(one.by_length[hop].value for hop in experiment.hops)

    known = {one.system: tuple(one.by_length.values()) for one in experiment.published}
    reproduced = {one.row.name: one for one in run if one.row.engine not in _ENGINES}
    lines = [_Line(f"{engine} engine", values(one), _ENGINES[engine]) for engine, one in ours.items()]
    for name, colour in colours.items():
        short = name.removesuffix("_s")
        if name in known:
            lines.append(_Line(f"{short}, published", known[name], colour, published=True))
        if name in reproduced:
            lines.append(_Line(f"{short}, run here", values(reproduced[name]), colour))
    return _draw(experiment, lines)


def _draw(experiment: Experiment, lines: Sequence[_Line]) -> str:
    hops = experiment.hops
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    low = min(0.9, *(value for line in lines for value in line.values))
    low = int(low * 10) / 10

    def x(hop: int) -> float:
        return _LEFT + (hop - hops[0]) * (right - _LEFT) / max(hops[-1] - hops[0], 1)

    def y(accuracy: float) -> float:
        return _TOP + (1 - accuracy) * (bottom - _TOP) / (1 - low)

    parts = [
        element("title", text=f"Accuracy by hops. {experiment.title}"),
        element("style", text=_STYLE),
        element("rect", class_="page", width=_WIDTH, height=_HEIGHT),
    ]
    for tenth in range(round(low * 10), 11):
        parts.append(element("path", class_="grid", d=f"M{_LEFT} {y(tenth / 10):.1f}H{right}"))
        parts.append(_text(_LEFT - 8, y(tenth / 10) + 4, f"{tenth / 10:.1f}", "end"))
    parts += [_text(x(hop), bottom + 20, str(hop), "middle") for hop in hops]
    parts.append(_text((_LEFT + right) / 2, _HEIGHT - 8, "hops", "middle"))
    ends = _separate_labels([y(line.values[-1]) for line in lines], bottom + _BOTTOM / 2)
    for line, end in zip(lines, ends, strict=True):
        points = " ".join(f"{x(hop):.1f},{y(value):.1f}" for hop, value in zip(hops, line.values, strict=True))
        dash = "5 4" if line.published else None
        stroke = {"stroke": line.colour, "stroke_width": 2.5, "stroke_dasharray": dash}
        parts.append(element("polyline", points=points, fill="none", **stroke))
        parts.append(element("path", d=f"M{right + 8} {end:.1f}h12", **stroke))
        parts.append(_text(right + 26, end + 4, f"{line.name} {line.values[-1]:.2f}", "start"))
    box = f"0 0 {_WIDTH} {_HEIGHT}"
    return element("svg", *parts, xmlns="http://www.w3.org/2000/svg", viewBox=box, role="img") + "\n"


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return element("text", x=float(x), y=float(y), text_anchor=anchor, text=text)


def _separate_labels(heights: Sequence[float], lowest: float, gap: float = 17.0) -> list[float]:
    """Return heights of labels in the same order, at least a gap apart and at most `lowest`."""
    placed = list(heights)
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    for upper, lower in pairwise(order):
        placed[lower] = max(placed[lower], placed[upper] + gap)
    if placed:
        placed[order[-1]] = min(placed[order[-1]], lowest)
    for lower, upper in pairwise(order[::-1]):
        placed[upper] = min(placed[upper], placed[lower] - gap)
    return placed
