"""Section on calibration: bins by confidence, expected calibration error and reliability diagram.

Confidence is the probability of an answer, or its score if the engine has no probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r5._util.ordering import format_number
from r5._util.svg import element
from r5.evaluation import Part
from r5.report.charts.axes import Axis, Plot, svg_chart
from r5.report.charts.formatting import count_noun, format_percent
from r5.report.findings import Findings
from r5.report.html_elements import absence_note, definition_list, details, figure, paragraph, scroll_box, table

__all__ = ["Bin", "bin_answers", "bin_rows", "calibration_error", "calibration_section", "reliability_diagram"]


def calibration_section(findings: Findings) -> str:
    """Return the reliability diagram and the expected calibration error as HTML, or a note if there are none."""
    answered = [
        (prediction, right)
        for prediction, right in zip(findings.predictions, findings.right, strict=True)
        if prediction.relation is not None
    ]
    likely = [(p.probability, right) for p, right in answered if p.probability is not None]
    scored = [(p.score, right) for p, right in answered if p.score is not None]
    kind, pairs = ("probability", likely) if likely else ("score", scored)
    if not pairs:
        return absence_note("The engine gives neither probabilities nor scores, so its calibration cannot be judged.")
    if not all(0.0 <= figure <= 1.0 for figure, _ in pairs):
        return absence_note("The engine's scores are not between 0 and 1, so they cannot be compared with shares.")
    bins = bin_answers([figure for figure, _ in pairs], [right for _, right in pairs])
    description = "; ".join(
        f"{kind} {format_number(one.confidence, '.2f')}, right {format_percent(one.answers.accuracy)}" for one in bins
    )
    title = "Reliability diagram"
    chart = reliability_diagram("calibration", bins, title=title, description=f"{description}.", kind=kind)
    caption = f"Share of right answers by {kind}; whiskers are 95% intervals"
    words = element("div", _figures(bins, kind), *map(paragraph, _explain(kind, len(findings.right) - len(pairs))))
    return element("div", figure(chart, caption, "square"), words, class_="side-by-side") + _table(bins, kind)


def _figures(bins: list[Bin], kind: str) -> str:
    if kind == "score":
        return ""
    error = calibration_error(bins)
    mean_gap = sum(one.answers.n * one.gap for one in bins) / sum(one.answers.n for one in bins)
    direction = "underconfident overall" if mean_gap > 0 else "overconfident overall"
    return definition_list([("expected calibration error", format_number(error, ".3f"), direction)], "figures")


def _explain(kind: str, left_out: int) -> list[str]:
    if kind == "probability":
        parts = [
            "On the dashed diagonal, answers with a probability of 0.9 are right nine times in ten. Above it the model "
            "is underconfident, below it overconfident. The expected calibration error is the mean distance from it."
        ]
    else:
        parts = [
            "This engine gives scores, not probabilities: they rank its answers and do not estimate how often they are "
            "right, so there is no calibration error. Answers with higher scores should still be right more often."
        ]
    if left_out:
        parts.append(f"Left out here: {count_noun(left_out, 'question')} without an answer.")
    return parts


def _table(bins: list[Bin], kind: str) -> str:
    rows = []
    for one in bins:
        low, high = one.answers.interval
        span, gap = f"{one.low:g} to {one.high:g}", format_number(one.gap, "+.3f").replace("-", "\u2212")
        shares = [format_number(one.confidence, ".3f"), f"{one.answers.accuracy:.3f}", f"{low:.3f} to {high:.3f}"]
        rows.append([span, f"{one.answers.n:,}", *shares, gap])
    caption = f"Right answers by {kind}"
    head = [kind, "answers", f"mean {kind}", "right", "95% interval", "difference"]
    return details("The figures as a table", scroll_box(caption, table(caption, head, rows)))


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers with a confidence above `low` and up to `high`."""

    low: float
    high: float
    answers: Part
    confidence: float
    """Mean confidence."""

    @property
    def gap(self) -> float:
        """Accuracy minus confidence; positive if the model is underconfident."""
        return self.answers.accuracy - self.confidence


def bin_answers(confidences: Sequence[float], right: Sequence[bool], count: int = 10) -> list[Bin]:
    """Return the non-empty bins of equal width.

    Args:
        confidences: Confidence of each answer, from 0 to 1.
        right: Whether each answer is right.
        count: Number of bins from 0 to 1.

    >>> [(one.low, one.answers.n, one.answers.accuracy) for one in bin_answers([0.95, 0.91, 0.3], [True, False, True])]
    [(0.2, 1, 1.0), (0.9, 2, 0.5)]
    """
    members: dict[int, list[int]] = {}
    for number, confidence in enumerate(confidences):
        # A bin includes its upper bound, so that confidence 1 has no bin of its own; 1e-9 absorbs rounding.
        index = min(count - 1, max(0, -int(-(confidence * count - 1e-9) // 1) - 1))
        members.setdefault(index, []).append(number)
    return [
        Bin(
            low=index / count,
            high=(index + 1) / count,
            answers=Part(len(numbers), sum(bool(right[number]) for number in numbers)),
            confidence=sum(confidences[number] for number in numbers) / len(numbers),
        )
        for index, numbers in sorted(members.items())
    ]


def bin_rows(bins: Sequence[Bin]) -> list[list[str]]:
    """Return a row per bin: its range, number of answers, mean confidence and accuracy."""
    return [
        [f"{one.low:g} to {one.high:g}", f"{one.answers.n:,}", f"{one.confidence:.3f}", f"{one.answers.accuracy:.3f}"]
        for one in bins
    ]


def calibration_error(bins: Sequence[Bin]) -> float:
    """Return the expected calibration error: the mean distance of accuracy from confidence, weighted by bin size.

    >>> calibration_error(bin_answers([0.8] * 10, [True] * 8 + [False] * 2)) < 1e-9
    True
    """
    total = sum(one.answers.n for one in bins)
    return sum(one.answers.n * abs(one.gap) for one in bins) / total if total else 0.0


def reliability_diagram(
    name: str,
    bins: Sequence[Bin],
    *,
    title: str,
    description: str,
    kind: str,
    unit: str = "answer",
    right: str = "share of right answers",
) -> str:
    """Return accuracy over confidence as SVG, with the diagonal of perfect calibration and the bin sizes as bars.

    Args:
        name: Prefix of ids, unique on the page.
        bins: The answers by confidence.
        title: Title of the chart.
        description: Its content in words, for screen readers.
        kind: Kind of confidence: a probability, a share or a score.
        unit: Singular noun of the counted things.
        right: Label of the vertical axis.
    """
    shares = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    plot = Plot(
        Axis(0.0, 1.0, shares, kind, lambda value: f"{value:g}"),
        Axis(0.0, 1.0, shares, right, format_percent),
        left=52.0,
        top=28.0,
        right=386.0,
        bottom=270.0,
    )
    (left, bottom), (end, top) = plot.at(0, 0), plot.at(1, 1)
    diagonal = element("path", d=f"M{left:g} {bottom:g}L{end:g} {top:g}", class_="diagonal")
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (plot.at(one.confidence, one.answers.accuracy) for one in bins))
    parts = [plot.grid(), diagonal, element("polyline", points=line, class_="line")]
    parts += [_point(plot, one, kind) for one in bins]
    return svg_chart(
        name, title, description, (400, 400), element("g", *parts, class_="series main"), _counts(plot, bins, unit)
    )


def _point(plot: Plot, one: Bin, kind: str) -> str:
    x, y = plot.at(one.confidence, one.answers.accuracy)
    low, high = (plot.at(one.confidence, bound)[1] for bound in one.answers.interval)
    mean, share = format_number(one.confidence, ".2f"), format_percent(one.answers.accuracy)
    title = f"{kind} {mean} on average, right {share} of {one.answers.n:,}"
    return element(
        "g",
        element("title", text=title),
        element("path", d=f"M{x:.1f} {low:.1f}V{high:.1f}", class_="whisker"),
        element("circle", cx=x, cy=y, r=4, class_="dot"),
    )


def _counts(plot: Plot, bins: Sequence[Bin], unit: str) -> str:
    """Return the number of answers per bin as bars below the diagram."""
    base, tall = 392.0, 60.0
    largest = max((one.answers.n for one in bins), default=1)
    bars = []
    for one in bins:
        (left, _), (right, _) = plot.at(one.low, 0), plot.at(one.high, 0)
        height = max(1.0, tall * one.answers.n / largest)
        title = element("title", text=f"{one.low:g} to {one.high:g}: {count_noun(one.answers.n, unit)}")
        position = {"x": left + 1, "y": base - height, "width": right - left - 2, "height": height}
        bars.append(element("rect", title, **position, rx=2, class_="count"))
    label = element("text", x=0.0, y=base - tall - 2, class_="axis", text=f"{unit}s")
    floor = element("path", d=f"M{plot.left:g} {base:g}H{plot.right:g}", class_="grid")
    return element("g", label, *bars, floor)
