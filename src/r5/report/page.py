"""Page on the answers of a model, with all sections and the data of its script."""

from __future__ import annotations

from html import escape

from r5.report.browsers import example_browser, rule_browser
from r5.report.examples.example_json import examples_to_json
from r5.report.examples.selection import describe_examples, select_examples
from r5.report.findings import Findings
from r5.report.frame import read_asset, read_scripts, render_frame
from r5.report.page_data import NameIndex
from r5.report.sections.accuracy import accuracy_section
from r5.report.sections.calibration import calibration_section
from r5.report.sections.composition import composition_section
from r5.report.sections.confusion import confusion_section
from r5.report.sections.headline import describe_model, headline_figures, headline_sentence
from r5.report.sections.rule_table import embedded_rules, missing_rules
from r5.report.sections.training_curves import training_section

__all__ = ["render_page"]

_SCRIPTS = ("elements", "theme", "paging", "chip", "rules", "heatmap", "drawing", "question", "browser", "start")
"""Scripts in the order of the page; each one uses those before it."""


def render_page(findings: Findings, examples: int = 200) -> str:
    """Return the report as HTML with at most `examples` embedded examples."""
    names = NameIndex()
    chosen = select_examples(findings.right, [p.relation is not None for p in findings.predictions], examples)
    scored = all(p.probability is None for p in findings.predictions)
    content = {
        "rules": embedded_rules(findings, names),
        "cases": examples_to_json(findings, chosen, names),
        "measure": "score" if scored else "probability",
        "relations": names.names(),
    }
    values = {
        "accuracy": accuracy_section(findings),
        "learning": training_section(findings),
        "table": rule_browser("relation"),
        "missing": missing_rules(findings),
        "composition": composition_section(findings),
        "confusion": confusion_section(findings),
        "calibration": calibration_section(findings),
        "examples": example_browser(read_asset("derivation.html"), wrong="Wrong", silent="Cannot say"),
        "chosen": escape(describe_examples(findings, chosen)),
    }
    return render_frame(
        "page.html",
        values,
        data=findings.data,
        sentence=headline_sentence(findings),
        figures=f"{headline_figures(findings)}\n{describe_model(findings)}",
        style=read_asset("report.css"),
        script=read_scripts(_SCRIPTS),
        content=content,
    )
