"""The page on the answers of a model: what was found, section by section, and the data of its script."""

from __future__ import annotations

from html import escape
from pathlib import Path

from r5._util.files.writing import check_output, write_text
from r5.dataset import Dataset
from r5.errors import R5Error
from r5.evaluation import Evaluation
from r5.reasoners.base import Reasoner
from r5.report.cases.cases import choose, embedded_cases, what_was_chosen
from r5.report.embedding import Names
from r5.report.findings import Findings, gather
from r5.report.frame import framed, read_asset
from r5.report.sections.accuracy import accuracy_section
from r5.report.sections.calibration import calibration_section
from r5.report.sections.composition import composition_section
from r5.report.sections.confusion import confusion_section
from r5.report.sections.headline import about, figures, in_a_sentence
from r5.report.sections.rule_table import embedded_rules, missing_rules
from r5.report.sections.training_curves import training_section

__all__ = ["render", "write_report"]

_SCRIPTS = ("elements", "theme", "paging", "rules", "heatmap", "drawing", "question", "browser", "start")
"""In the order in which they stand in the page: each uses those before it."""


def write_report(
    model: Reasoner,
    data: Dataset,
    path: str | Path,
    *,
    split: str = "test",
    examples: int = 200,
    name: str = "",
    force: bool = False,
) -> Evaluation:
    """Ask the model all questions of a split and write what was found as one HTML file that needs nothing else.

    `examples` is the most questions to embed with their graphs, `name` what the model is called in the report. The
    same model and data give the same bytes, but for the seconds that answering took.
    """
    check_output(path, force)
    if examples < 0:
        raise R5Error(f"examples must be 0 or more, not {examples}")
    findings = gather(model, data, split, name)
    write_text(path, render(findings, examples), force)
    return findings.evaluation


def render(findings: Findings, examples: int = 200) -> str:
    """The report as text."""
    names = Names()
    chosen = choose(findings.right, [p.relation is not None for p in findings.predictions], examples)
    scored = all(p.probability is None for p in findings.predictions)
    content = {
        "rules": embedded_rules(findings, names),
        "cases": embedded_cases(findings, chosen, names),
        "measure": "score" if scored else "probability",
        "relations": names.listed(),
    }
    values = {
        "accuracy": accuracy_section(findings),
        "learning": training_section(findings),
        "missing": missing_rules(findings),
        "composition": composition_section(findings),
        "confusion": confusion_section(findings),
        "calibration": calibration_section(findings),
        "chosen": escape(what_was_chosen(findings, chosen)),
    }
    return framed(
        "page.html",
        values,
        data=findings.data,
        sentence=in_a_sentence(findings),
        figures=f"{figures(findings)}\n{about(findings)}",
        style=read_asset("report.css"),
        script="\n".join(read_asset(f"{name}.js") for name in _SCRIPTS),
        content=content,
    )
