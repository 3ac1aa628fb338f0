"""Section on training: one learning curve per measure, from the history of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from r5._util.svg import element
from r5.report.charts.axes import fit_axis
from r5.report.charts.formatting import format_figure, format_percent
from r5.report.charts.lines import Line, line_chart, thin_points
from r5.report.findings import Findings
from r5.report.html_elements import absence_note, figure, paragraph

__all__ = ["training_section"]

_MEASURES = {
    "fit": "training fit",
    "training_answers": "training questions answered right",
    "valid_accuracy": "validation accuracy",
    "log_likelihood": "log likelihood of the training answers",
    "loss": "loss",
    "rules": "rules in memory",
    "invented": "invented relations in use",
}
_SHARES = ("fit", "training_answers", "accuracy", "valid_accuracy", "train_accuracy")
_POSITIONS = ("restart", "epoch", "step", "longest")
_MOST_CHARTS = 6
_LARGEST = 1e12
"""Larger numbers are not drawn; a model folder may be forged."""


def training_section(findings: Findings) -> str:
    """Return the learning curves as HTML, or a note if the model keeps no history."""
    history = _entries(findings.summary.get("history"))
    measures = [name for name in _MEASURES if any(name in entry for entry in history)]
    measures += sorted({key for entry in history for key in entry} - set(_MEASURES) - set(_POSITIONS))
    if not measures:
        return absence_note("The model keeps no history of its training, so there is no learning curve to show.")
    runs = _runs(history)
    best = findings.summary.get("best_restart")
    chosen = float(best) if _is_figure(best) and float(best) in runs else min(runs)
    over = next((key for key in ("epoch", "step") if all(key in entry for entry in history)), "entry")
    charts = [_chart(name, runs, chosen, over, findings.summary) for name in measures[:_MOST_CHARTS]]
    return _note(history, runs, over) + element("div", *charts, class_="small-charts")


def _entries(history: object) -> list[dict[str, float]]:
    """Return the valid figures of a history, which comes from a file and may contain anything."""
    if not isinstance(history, list | tuple):
        return []
    found = []
    for entry in history:
        if isinstance(entry, Mapping):
            figures = {str(key): value for key, value in entry.items() if _is_figure(value)}
            found.append({key: float(value) for key, value in figures.items()})
    return found


def _is_figure(value: Any) -> TypeGuard[float]:
    """Return whether a value is a number that can be drawn."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST


def _runs(history: Sequence[dict[str, float]]) -> dict[float, list[dict[str, float]]]:
    """Return the entries of each restart."""
    runs: dict[float, list[dict[str, float]]] = {}
    for entry in history:
        runs.setdefault(entry.get("restart", 0.0), []).append(entry)
    return runs


def _chart(
    name: str,
    runs: Mapping[float, Sequence[Mapping[str, float]]],
    chosen: float,
    over: str,
    summary: Mapping[str, Any],
) -> str:
    title = _MEASURES.get(name, name.replace("_", " "))
    lines = []
    for number in sorted(runs, key=lambda one: one != chosen):
        points = [(e.get(over, n), e[name]) for n, e in enumerate(runs[number], start=1) if name in e]
        if points:
            label = "the chosen run" if number == chosen else f"restart {number + 1:g}"
            lines.append(Line(label, thin_points(points), "main" if number == chosen else "quiet"))
    points = [point for line in lines for point in line.points]
    across = fit_axis([x for x, _ in points], over, count=5, whole=True)
    whole = name not in _SHARES and all(y == int(y) for _, y in points)
    up = fit_axis(
        [y for _, y in points], "", format_percent if name in _SHARES else format_figure, count=4, whole=whole
    )
    start, end = lines[0].points[0], lines[0].points[-1]
    best = [point for point in lines[0].points if over == "epoch" and point[0] == summary.get("best_epoch")]
    lines = [*(Line("the chosen epoch", (point,), "mark") for point in best), *lines]
    description = f"From {up.show(start[1])} at {over} {start[0]:g} to {up.show(end[1])} at {over} {end[0]:g}."
    size = (340, 220)
    chart = line_chart(f"learning-{_id_of(name)}", lines, (across, up), title=title, description=description, size=size)
    return figure(chart, title)


def _id_of(name: str) -> str:
    """Return the name of a measure with all characters that an id cannot have replaced."""
    return "".join(letter if letter.isalnum() and letter.isascii() else f"-{ord(letter):x}-" for letter in name)


def _note(history: Sequence[Mapping[str, float]], runs: Mapping[float, object], over: str) -> str:
    parts = []
    lengths = [entry["longest"] for entry in history if "longest" in entry]
    if lengths and min(lengths) < max(lengths):
        parts.append(
            f"Paths of {min(lengths):g} relations come first and longer ones join until all up to {max(lengths):g} are "
            "in, so the likelihood of the training answers falls before it rises."
        )
    if len(runs) > 1:
        others = len(runs) - 1
        parts.append(f"Grey: the {f'{others} other restarts' if others > 1 else 'other restart'}.")
    if over == "epoch":
        parts.append("The full dot marks the epoch that was chosen.")
    return paragraph(" ".join(parts), "note") if parts else ""
