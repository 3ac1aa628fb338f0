"""A line chart of accuracy by hops as plain SVG, for the README: readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from r5._util.svg import element
from r5.bench.experiments import Experiment
from r5.bench.store import Record
from r5.bench.summary import summaries
from r5.errors import R5Error

__all__ = ["hops_chart"]

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 720, 360, 56, 24, 190, 48
_COLOURS = {"ours": ("#0b6e4f", "#1f77b4", "#7c3aed"), "published": ("#6b7280", "#b45309", "#a21caf", "#b91c1c")}
_STYLE = (
    "text{fill:#374151;font:13px sans-serif}.grid{stroke:#e5e7eb}.page{fill:#fff}"
    "@media(prefers-color-scheme:dark){text{fill:#d1d5db}.grid{stroke:#374151}.page{fill:#0d1117}}"
)
_SHOWN = ("R5", "CTP_A", "LSTM_s", "CNN_s")
"""The strongest published systems of their kind."""


def hops_chart(experiment: Experiment, records: Mapping[str, Record], shown: Sequence[str] = _SHOWN) -> str:
    """Our engines r5 and grammar as solid lines, some published systems as dashed ones."""
    ours = {
        f"{one.row.engine} engine": [one.by_length[hop].value for hop in experiment.hops]
        for one in summaries(experiment, records)
        if one.row.engine in ("r5", "grammar") and all(hop in one.by_length for hop in experiment.hops)
    }
    if not ours:
        raise R5Error(f"there are no runs of {experiment.name} by the engines r5 and grammar to draw")
    known = {one.system: list(one.by_length.values()) for one in experiment.published if one.system in shown}
    theirs = {f"{name.removesuffix('_s')}, published": known[name] for name in shown if name in known}
    return _drawing(experiment, ours, theirs)


def _drawing(experiment: Experiment, ours: Mapping[str, Sequence[float]], theirs: Mapping[str, Sequence[float]]) -> str:
    hops = experiment.hops
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    low = min(0.9, *(value for line in (*ours.values(), *theirs.values()) for value in line))
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
    lines = {**ours, **theirs}
    colours = [*_COLOURS["ours"][: len(ours)], *_COLOURS["published"][: len(theirs)]]
    ends = _apart([y(values[-1]) for values in lines.values()])
    for (name, values), colour, end in zip(lines.items(), colours, ends, strict=True):
        points = " ".join(f"{x(hop):.1f},{y(value):.1f}" for hop, value in zip(hops, values, strict=True))
        dash = "5 4" if name in theirs else None
        line = {"points": points, "fill": "none", "stroke": colour, "stroke_width": 2.5, "stroke_dasharray": dash}
        parts.append(element("polyline", **line))
        parts.append(element("path", d=f"M{right + 8} {end:.1f}h12", stroke=colour, stroke_width=2.5))
        parts.append(_text(right + 26, end + 4, f"{name} {values[-1]:.2f}", "start"))
    box = f"0 0 {_WIDTH} {_HEIGHT}"
    return element("svg", *parts, xmlns="http://www.w3.org/2000/svg", viewBox=box, role="img") + "\n"


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return element("text", x=float(x), y=float(y), text_anchor=anchor, text=text)


def _apart(heights: Sequence[float], gap: float = 17.0) -> list[float]:
    """Heights for the labels at the lines' ends, in the same order but never closer than the gap."""
    shown = list(heights)
    for before, after in pairwise(sorted(range(len(heights)), key=lambda place: heights[place])):
        shown[after] = max(shown[after], shown[before] + gap)
    return shown
