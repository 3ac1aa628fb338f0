"""Section on P(fact): its reliability diagram over new facts."""

from __future__ import annotations

from collections.abc import Sequence

from r5._util.svg import element
from r5.report.graphs.judged_facts import MAX_FACTS, MIN_PROBABILITY, JudgedFact, fact_calibration_error
from r5.report.html_elements import absence_note, definition_list, figure, paragraph, scroll_box, table
from r5.report.sections.calibration import bin_answers, bin_rows, reliability_diagram

__all__ = ["facts_section"]


def facts_section(facts: Sequence[JudgedFact]) -> str:
    """Return the section as HTML.

    Args:
        facts: New facts, the most probable first.
    """
    if not facts:
        return absence_note(f"The search found no new fact with P(fact) of {MIN_PROBABILITY:g} or more.")
    bins = bin_answers([one.probability for one in facts], [one.right for one in facts])
    description = "; ".join(f"P(fact) {one.confidence:.2f}, {one.answers.accuracy:.2f} in the data" for one in bins)
    chart = reliability_diagram(
        "fact-calibration",
        bins,
        title="Reliability diagram of P(fact)",
        description=f"{description}.",
        kind="P(fact)",
        unit="fact",
        right="share in valid or test",
    )
    name = "New facts by P(fact)"
    shown = scroll_box(name, table(name, ["P(fact)", "facts", "mean P(fact)", "in valid or test"], bin_rows(bins)))
    caption = "New facts in valid or test by P(fact); whiskers are 95% intervals"
    words = element("div", _figures(facts), *map(paragraph, _explain(facts)), shown)
    return element("div", figure(chart, caption, "square"), words, class_="side-by-side")


def _figures(facts: Sequence[JudgedFact]) -> str:
    found, error = sum(one.right for one in facts), fact_calibration_error(facts)
    return definition_list(
        [
            ("expected calibration error", f"{error:.3f}", f"facts with P(fact) from {MIN_PROBABILITY:g}"),
            ("new facts", f"{len(facts):,}", f"{found:,} of them in valid or test"),
        ],
        "figures",
    )


def _explain(facts: Sequence[JudgedFact]) -> list[str]:
    if len(facts) >= MAX_FACTS:
        which = f"The {MAX_FACTS:,} most probable ones"
    else:
        which = f"All found with P(fact) of {MIN_PROBABILITY:g} or more"
    return [
        f"The graph was searched for new facts. {which} are here, and valid and test say which are true. "
        "On the dashed diagonal, nine in ten facts with P(fact) 0.9 are true.",
        "A fact that is in neither split counts as false. Where the data set lacks true facts, more facts are true "
        "than the diagram shows: its shares are a lower bound. Facts of valid may have served for calibration.",
    ]
