"""Sections on new facts and on known facts that look wrong, each with its reasons."""

from __future__ import annotations

from collections.abc import Sequence

from r5._util.svg import element
from r5.derivations.completion import AuditFinding, Completion
from r5.derivations.completion_picture import draw_completion
from r5.report.charts.formatting import format_probability
from r5.report.graphs.judged_facts import MIN_PROBABILITY, JudgedFact
from r5.report.html_elements import absence_note, details, paragraph, scroll_box

__all__ = ["audit_section", "discovery_section"]


def discovery_section(unconfirmed: Sequence[JudgedFact], confirmed: Sequence[JudgedFact]) -> str:
    """Return the most probable new facts as HTML: those in no split of the data set, and those in valid or test."""
    if not unconfirmed and not confirmed:
        return absence_note(f"The search found no new fact with P(fact) of {MIN_PROBABILITY:g} or more.")
    parts = []
    if unconfirmed:
        parts.append(element("h3", text="In no split of the data set"))
        parts.append(_facts([(one.completion, []) for one in unconfirmed]))
    if confirmed:
        parts.append(element("h3", text="In valid or test"))
        parts.append(_facts([(one.completion, [f"in {one.split}"]) for one in confirmed]))
    return "".join(parts)


def audit_section(findings: Sequence[AuditFinding]) -> str:
    """Return the known facts that look wrong as HTML."""
    if not findings:
        return absence_note("No fact of the graph looks wrong.")
    return _facts([(one.completion, _remarks(one)) for one in findings])


def _remarks(finding: AuditFinding) -> list[str]:
    remarks = [f"usual for {finding.completion.relation}: {format_probability(finding.usual)}"]
    if finding.better is not None:
        remarks.append(f"more probable: {finding.better.fact} ({format_probability(finding.better.probability)})")
    return remarks + [f"contradiction: {text}" for text in finding.contradictions]


def _facts(facts: Sequence[tuple[Completion, list[str]]]) -> str:
    """Return a list of facts with P(fact), remarks, and a picture of the reasons to unfold."""
    items = []
    for completion, remarks in facts:
        figure = element("span", class_="sure", text=f"P(fact) {format_probability(completion.probability)}")
        picture = details("Reasons", scroll_box(f"Reasons: {completion.fact}", draw_completion(completion, False)))
        shown = element("strong", text=str(completion.fact))
        lines = [paragraph(text, "note") for text in remarks]
        items.append(element("li", shown, figure, *lines, picture))
    return element("ol", *items, class_="judged")
