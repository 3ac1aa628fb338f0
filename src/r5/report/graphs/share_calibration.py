"""Section on shares: the reliability diagram of first answers."""

from __future__ import annotations

from collections.abc import Sequence

from r5._util.svg import element
from r5.knowledge.top_answers import TopAnswer
from r5.report.html_elements import absence_note, figure, paragraph, scroll_box, table
from r5.report.sections.calibration import bin_answers, bin_rows, reliability_diagram

__all__ = ["share_section"]


def share_section(answers: Sequence[TopAnswer]) -> str:
    """Return the section as HTML.

    Args:
        answers: The first answer of each query.
    """
    answered = [one for one in answers if one.entity is not None]
    if not answered:
        return absence_note("There is no answer whose share could be judged.")
    bins = bin_answers([one.share for one in answered], [one.right for one in answered])
    description = "; ".join(f"share {one.confidence:.2f}, right {one.answers.accuracy:.2f}" for one in bins)
    title = "Reliability diagram of shares"
    chart = reliability_diagram("calibration", bins, title=title, description=f"{description}.", kind="share")
    words = paragraph(
        "The share of a candidate is the probability that it is the answer, given that the query has one new answer. "
        "On the dashed diagonal, first answers with a share of 0.9 are right nine times in ten."
    )
    name = "First answers by share"
    shown = scroll_box(name, table(name, ["share", "answers", "mean share", "right"], bin_rows(bins)))
    caption = "Right first answers by share; whiskers are 95% intervals"
    return element("div", figure(chart, caption, "square"), element("div", words, shown), class_="side-by-side")
