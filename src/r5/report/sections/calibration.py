"""Calibration: are answers given with a confidence of 0.9 right nine times in ten? Bins, the error, the diagram.

By probability, by score for engines that have no probabilities, or why not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r5._util.ordering import format_number
from r5._util.svg import element
from r5.evaluation import Part
from r5.report.charts.axes import Axis, Plot, as_share, counted, picture
from r5.report.findings import Findings
from r5.report.markup import absent, definitions, details, figure, paragraph, scroller, table

__all__ = ["Bin", "calibration_error", "calibration_section", "into_bins", "reliability_diagram"]


def calibration_section(findings: Findings) -> str:
    """A reliability diagram with the expected calibration error, or why there is none."""
    answered = [
        (prediction, right)
        for prediction, right in zip(findings.predictions, findings.right, strict=True)
        if prediction.relation is not None
    ]
    likely = [(p.probability, right) for p, right in answered if p.probability is not None]
    scored = [(p.score, right) for p, right in answered if p.score is not None]
    kind, pairs = ("probability", likely) if likely else ("score", scored)
    if not pairs:
        return absent("The engine gives neither probabilities nor scores, so its calibration cannot be judged.")
    if not all(0.0 <= figure <= 1.0 for figure, _ in pairs):
        return absent("The engine's scores are not between 0 and 1, so they cannot be compared with shares.")
    bins = into_bins([figure for figure, _ in pairs], [right for _, right in pairs])
    told = "; ".join(
        f"{kind} {format_number(one.confidence, '.2f')}, right {as_share(one.answers.accuracy)}" for one in bins
    )
    title = "Reliability diagram"
    chart = reliability_diagram("calibration", bins, title=title, description=f"{told}.", kind=kind)
    caption = f"How often answers are right, by their {kind}; whiskers are 95% intervals"
    words = element("div", _figures(bins, kind), *map(paragraph, _explained(kind, len(findings.right) - len(pairs))))
    return element("div", figure(chart, caption, "square"), words, class_="side-by-side") + _table(bins, kind)


def _figures(bins: list[Bin], kind: str) -> str:
    if kind == "score":
        return ""
    error = calibration_error(bins)
    modest = sum(one.answers.n * one.gap for one in bins) / sum(one.answers.n for one in bins)
    lean = "too modest on the whole" if modest > 0 else "too sure on the whole"
    return definitions([("expected calibration error", format_number(error, ".3f"), lean)], "figures")


def _explained(kind: str, left_out: int) -> list[str]:
    if kind == "probability":
        told = [
            "On the dashed diagonal, answers with a probability of 0.9 are right nine times in ten. Above it the model "
            "is too modest, below it too sure. The expected calibration error is the mean distance from it."
        ]
    else:
        told = [
            "This engine gives scores, not probabilities: they tell how its answers compare with each other, not how "
            "often they are right, so there is no calibration error. Better scores should still be right more often."
        ]
    if left_out:
        told.append(f"Left out here: {counted(left_out, 'question')} without an answer.")
    return told


def _table(bins: list[Bin], kind: str) -> str:
    rows = []
    for one in bins:
        low, high = one.answers.interval
        span, gap = f"{one.low:g} to {one.high:g}", format_number(one.gap, "+.3f").replace("-", "\u2212")
        shares = [format_number(one.confidence, ".3f"), f"{one.answers.accuracy:.3f}", f"{low:.3f} to {high:.3f}"]
        rows.append([span, f"{one.answers.n:,}", *shares, gap])
    caption = f"Right answers by {kind}"
    head = [kind, "answers", f"mean {kind}", "right", "95% interval", "difference"]
    return details("The figures as a table", scroller(caption, table(caption, head, rows)))


@dataclass(frozen=True, slots=True)
class Bin:
    """The answers whose confidence is above `low`, up to `high`."""

    low: float
    high: float
    answers: Part
    confidence: float
    """Their mean confidence."""

    @property
    def gap(self) -> float:
        """How far accuracy is from confidence: above 0 where the model is too modest."""
        return self.answers.accuracy - self.confidence


def into_bins(confidences: Sequence[float], right: Sequence[bool], count: int = 10) -> list[Bin]:
    """The answers in so many bins of equal width; bins without answers are left out.

    >>> [(one.low, one.answers.n, one.answers.accuracy) for one in into_bins([0.95, 0.91, 0.3], [True, False, True])]
    [(0.2, 1, 1.0), (0.9, 2, 0.5)]
    """
    members: dict[int, list[int]] = {}
    for number, confidence in enumerate(confidences):
        # A bin holds its upper bound, so that full confidence has no bin of its own; 1e-9 forgives rounding.
        place = min(count - 1, max(0, -int(-(confidence * count - 1e-9) // 1) - 1))
        members.setdefault(place, []).append(number)
    return [
        Bin(
            low=place / count,
            high=(place + 1) / count,
            answers=Part(len(which), sum(bool(right[number]) for number in which)),
            confidence=sum(confidences[number] for number in which) / len(which),
        )
        for place, which in sorted(members.items())
    ]


def calibration_error(bins: Sequence[Bin]) -> float:
    """The expected calibration error: the mean distance of accuracy from confidence, bins weighted by their answers.

    >>> calibration_error(into_bins([0.8] * 10, [True] * 8 + [False] * 2)) < 1e-9
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
    """Draw accuracy over confidence, with the diagonal of perfect calibration; the bars below count the answers.

    Args:
        name: Prefix of the ids.
        bins: The answers by confidence.
        title: Title of the picture.
        description: Its content in words, for screen readers.
        kind: What the confidence is: a probability, a share or a score.
        unit: What is counted, in the singular.
        right: Label of the vertical axis.
    """
    shares = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    plot = Plot(
        Axis(0.0, 1.0, shares, kind, lambda value: f"{value:g}"),
        Axis(0.0, 1.0, shares, right, as_share),
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
    return picture(
        name, title, description, (400, 400), element("g", *parts, class_="series main"), _counts(plot, bins, unit)
    )


def _point(plot: Plot, one: Bin, kind: str) -> str:
    x, y = plot.at(one.confidence, one.answers.accuracy)
    low, high = (plot.at(one.confidence, bound)[1] for bound in one.answers.interval)
    mean, share = format_number(one.confidence, ".2f"), as_share(one.answers.accuracy)
    said = f"{kind} {mean} on average, right {share} of {one.answers.n:,}"
    return element(
        "g",
        element("title", text=said),
        element("path", d=f"M{x:.1f} {low:.1f}V{high:.1f}", class_="whisker"),
        element("circle", cx=x, cy=y, r=4, class_="dot"),
    )


def _counts(plot: Plot, bins: Sequence[Bin], unit: str) -> str:
    """The number of answers of each bin, as bars beneath the diagram."""
    base, tall = 392.0, 60.0
    most = max((one.answers.n for one in bins), default=1)
    bars = []
    for one in bins:
        (left, _), (right, _) = plot.at(one.low, 0), plot.at(one.high, 0)
        height = max(1.0, tall * one.answers.n / most)
        title = element("title", text=f"{one.low:g} to {one.high:g}: {counted(one.answers.n, unit)}")
        place = {"x": left + 1, "y": base - height, "width": right - left - 2, "height": height}
        bars.append(element("rect", title, **place, rx=2, class_="count"))
    label = element("text", x=0.0, y=base - tall - 2, class_="axis", text=f"{unit}s")
    floor = element("path", d=f"M{plot.left:g} {base:g}H{plot.right:g}", class_="grid")
    return element("g", label, *bars, floor)
