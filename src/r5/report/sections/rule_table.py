"""Data of the rule table for the script of the page, and the list of true rules that were not learned."""

from __future__ import annotations

from typing import Any

from r5._util.ordering import format_number
from r5._util.svg import element
from r5.report.charts.formatting import count_noun
from r5.report.findings import Findings
from r5.report.html_elements import absence_note, details
from r5.report.page_data import NameIndex

__all__ = ["embedded_rules", "missing_rules", "round_figure"]

_FIGURES = {
    "probability": "P(head | body)",
    "body_probability": "P(body | head)",
    "score": "score",
    "possibility": "possible",
    "support": "support",
}


def embedded_rules(findings: Findings, names: NameIndex) -> dict[str, Any]:
    """Return the rules as JSON: numbers of relations, figures, and flags for invented and for true (null: unknown)."""
    figures = [name for name in _FIGURES if any(getattr(rule, name) is not None for rule in findings.rules)]
    truth = None if findings.true_rules is None else {rule.key for rule in findings.true_rules}
    rows = [
        [
            names.number(rule.head),
            [names.number(name) for name in rule.relations],
            [round_figure(getattr(rule, name)) for name in figures],
            int(rule.invented),
            None if truth is None else int(rule.key in truth),
        ]
        for rule in findings.rules
    ]
    return {
        "figures": [_FIGURES[name] for name in figures],
        "judged": truth is not None,
        "invented": sorted(names.number(name) for name in findings.rules.invented),
        "rows": rows,
    }


def missing_rules(findings: Findings) -> str:
    """Return the true rules with a body of two relations that were not learned, as HTML; empty if unknown."""
    if findings.true_rules is None or not len(findings.rules):
        return ""
    missing = findings.rules.compare(findings.true_rules.with_body_of(2)).missing
    if not missing:
        return absence_note("Every true rule with a body of two relations was learned.")
    listed = element("ul", *(element("li", text=str(rule)) for rule in missing), class_="rules-missing")
    return details(f"{count_noun(len(missing), 'true rule')} not learned", listed)


def round_figure(value: float | None) -> float | None:
    """Return a figure with four significant digits."""
    return None if value is None else float(format_number(value, ".4g"))
