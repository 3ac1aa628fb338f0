"""The section on calibration: by probability, by score for engines that have no probabilities, or why not at all."""

from __future__ import annotations

from r5._util.svg import element
from r5.report.axes import as_share, counted
from r5.report.findings import Findings
from r5.report.markup import absent, definitions, details, figure, paragraph, scroller, table
from r5.report.reliability import Bin, calibration_error, into_bins, reliability_diagram

__all__ = ["calibration_section"]


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
    told = "; ".join(f"{kind} {one.confidence:.2f}, right {as_share(one.answers.accuracy)}" for one in bins)
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
    return definitions([("expected calibration error", f"{error:.3f}", lean)], "figures")


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
        span, gap = f"{one.low:g} to {one.high:g}", f"{one.gap:+.3f}".replace("-", "\u2212")
        shares = [f"{one.confidence:.3f}", f"{one.answers.accuracy:.3f}", f"{low:.3f} to {high:.3f}"]
        rows.append([span, f"{one.answers.n:,}", *shares, gap])
    caption = f"Right answers by {kind}"
    head = [kind, "answers", f"mean {kind}", "right", "95% interval", "difference"]
    return details("The figures as a table", scroller(caption, table(caption, head, rows)))
