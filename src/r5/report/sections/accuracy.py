"""Section on accuracy: by path length and overall, with published figures if there are any."""

from __future__ import annotations

from collections.abc import Sequence

from r5._util.svg import element
from r5.bench.experiments.experiment import PublishedFigures
from r5.report.charts.axes import fit_axis
from r5.report.charts.bars import Bar, bar_chart
from r5.report.charts.formatting import format_percent
from r5.report.charts.lines import Line, line_chart
from r5.report.findings import Findings
from r5.report.html_elements import NOTHING, absence_note, details, figure, paragraph, scroll_box, table

__all__ = ["accuracy_section"]

_OWN = "this model"
_COLOURED = 4


def accuracy_section(findings: Findings) -> str:
    """Return charts and tables as HTML, or a note if there are none."""
    lengths, overall = _by_length(findings), _overall(findings)
    if not lengths and not overall:
        return absence_note(
            "The data does not tell the lengths of its paths, and no published figures are known for it."
        )
    second = overall or _table(findings, ())
    source = paragraph(_source(findings), "note") if findings.published else ""
    full = details("All figures as a table", _table(findings, _rank_by_accuracy(findings.published))) if lengths else ""
    return element("div", lengths, second, class_="side-by-side") + source + (full if findings.published else "")


def _source(findings: Findings) -> str:
    tables = ", ".join(dict.fromkeys(one.table for one in findings.published))
    return (
        f"Published figures are those printed for {findings.data} in the R5 paper ({tables}). R5's own are "
        "of the best epoch on test data; this model was chosen without it."
    )


def _system_name(one: PublishedFigures) -> str:
    return "R5 (paper)" if one.system == "R5" else one.system


def _rank_by_accuracy(published: Sequence[PublishedFigures]) -> list[PublishedFigures]:
    """Return the systems with figures by length: the paper's own one first, then by accuracy."""
    known = [one for one in published if one.by_length]
    return sorted(known, key=lambda one: (one.system != "R5", -sum(one.by_length.values()) / len(one.by_length)))


def _by_length(findings: Findings) -> str:
    measured = sorted(findings.evaluation.by_length.items())
    if not measured:
        return ""
    systems = _rank_by_accuracy(findings.published)
    own = Line(
        _OWN,
        tuple((length, part.accuracy) for length, part in measured),
        band=tuple(part.interval for _, part in measured),
    )
    lines = [own] + [
        Line(_system_name(one), tuple(sorted(one.by_length.items())), f"rival-{n}" if n <= _COLOURED else "quiet")
        for n, one in enumerate(systems, start=1)
    ]
    heights = [y for line in lines for _, y in line.points] + [low for low, _ in own.band]
    across = fit_axis([x for line in lines for x, _ in line.points], "length of the path", count=9, whole=True)
    axes = across, fit_axis([*heights, 1.0], "accuracy", format_percent)
    accuracies = "; ".join(f"{length}: {format_percent(part.accuracy)}" for length, part in measured)
    description = f"Accuracy of {_OWN} by length. {accuracies}."
    shared = {"title": "Accuracy by length", "description": description}
    wide = line_chart("length-wide", lines, axes, size=(680, 360), labels="right", **shared)
    narrow = line_chart("length-narrow", lines, axes, size=(360, 400), labels="below", **shared)
    both = element("div", wide, class_="wide") + element("div", narrow, class_="narrow")
    rest = len(systems) - _COLOURED
    caption = "By length of the path; the band is the 95% interval"
    return figure(both, caption + (f". Grey: {rest} other published systems" if rest > 0 else ""), "grow")


def _overall(findings: Findings) -> str:
    systems = [one for one in findings.published if one.accuracy is not None]
    if not systems:
        return ""
    part = findings.evaluation.overall
    bars = [Bar(_OWN, part.accuracy, "main", part.interval, "with its 95% interval")]
    ranked = sorted(systems, key=lambda one: -(one.accuracy or 0.0))
    bars += [Bar(_system_name(one), one.accuracy or 0.0, note=one.table) for one in ranked[:12]]
    accuracies = "; ".join(f"{bar.name}: {format_percent(bar.share)}" for bar in bars)
    chart = bar_chart("overall", bars, title="Accuracy overall", description=f"{accuracies}.")
    return figure(chart, "Overall, beside published figures")


def _table(findings: Findings, systems: Sequence[PublishedFigures]) -> str:
    head = ["length", "questions", "accuracy", "95% interval", *map(_system_name, systems)]
    rows = []
    for length, part in sorted(findings.evaluation.by_length.items()):
        low, high = part.interval
        others = [f"{one.by_length[length]:.2f}" if length in one.by_length else NOTHING for one in systems]
        rows.append([str(length), f"{part.n:,}", f"{part.accuracy:.3f}", f"{low:.3f} to {high:.3f}", *others])
    caption = "Accuracy by length of the path"
    return scroll_box(caption, table(caption, head, rows))
