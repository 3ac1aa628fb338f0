"""Headline of a report: one sentence, the main figures, and the model with its data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from r5.report.charts.formatting import count_noun, format_figure, format_percent
from r5.report.findings import Findings
from r5.report.html_elements import NOTHING, definition_list
from r5.report.origin import Origin

__all__ = ["describe_model", "describe_selection", "headline_figures", "headline_sentence", "model_rows"]


def headline_sentence(findings: Findings) -> str:
    """Return the main result in one sentence."""
    result = findings.evaluation
    sentence = (
        f"The {findings.engine} engine answers {format_percent(result.accuracy)} of {result.overall.n:,} "
        f"{findings.split} questions correctly"
    )
    if len(findings.rules):
        sentence += f", with {count_noun(len(findings.rules), 'rule')}"
        learned = _number(findings.summary.get("examples"))
        sentence += f" learned from {learned:,.0f} examples" if learned else ""
    return sentence + "."


def headline_figures(findings: Findings) -> str:
    """Return the main figures in boxes, as HTML."""
    result = findings.evaluation
    low, high = result.overall.interval
    boxes = [("accuracy", format_percent(result.accuracy), f"95% interval {100 * low:.1f} to {100 * high:.1f}%")]
    unanswered = round(result.invalid_ratio * result.overall.n)
    boxes.append(
        ("cannot say", format_percent(result.invalid_ratio), f"{count_noun(unanswered, 'question')} without an answer")
    )
    if result.rule_recall is None:
        boxes.append(("rule recall", NOTHING, "the true rules are not known"))
    else:
        boxes.append(("rule recall", format_percent(result.rule_recall), "true rules that were learned"))
    invented = sum(rule.invented for rule in findings.rules)
    boxes.append(
        ("rules", f"{len(findings.rules):,}", f"{invented:,} with invented relations" if invented else "learned")
    )
    boxes.append(("questions", f"{result.overall.n:,}", f"of the {findings.split} split"))
    boxes.append(("time", f"{result.seconds:.2f} s", "to answer them all"))
    return definition_list(boxes, "figures")


def describe_model(findings: Findings) -> str:
    """Return model, data, engine, seed and model selection, as HTML."""
    rows = [
        *model_rows(findings),
        ("chosen", describe_selection(findings.summary, findings.settings), ""),
        ("answers over", _paths(findings), ""),
    ]
    return definition_list([row for row in rows if row[1]], "about")


def model_rows(findings: Origin) -> list[tuple[str, str, str]]:
    """Return model, data, engine, seed and training data, as rows of a definition list."""
    seed = findings.summary.get("seed", findings.settings.get("seed"))
    rows = [
        ("model", findings.model, ""),
        ("data", f"{findings.data}, {findings.split} split", ""),
        ("engine", findings.engine, ""),
        ("seed", "" if seed is None else str(seed), ""),
        ("learned from", _learned_from(findings.summary), ""),
    ]
    return [row for row in rows if row[1]]


def describe_selection(summary: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Return the rule that selected the model among restarts and epochs.

    >>> describe_selection({"log_likelihood": -7938.3}, {"restarts": (0.1, 0.5)})
    'the best of 2 restarts by the likelihood of the training answers (log likelihood −7,938)'
    """
    epoch, fit = _number(summary.get("best_epoch")), _number(summary.get("training_fit"))
    if epoch is not None and fit is not None:
        restart = _number(summary.get("best_restart"))
        of = "" if restart is None else f" of restart {restart + 1:.0f}"
        answers = _number(summary.get("training_answers"))
        if settings.get("keep_epoch") == "last":
            reason = "the last one"
        elif answers is not None:
            reason = f"which answers the most training questions right ({format_percent(answers)})"
        else:
            reason = "which fits the training examples best"
        return f"epoch {epoch:.0f}{of}, {reason} (fit {fit:.3f})"
    likelihood = _number(summary.get("log_likelihood"))
    if likelihood is not None:
        runs = settings.get("restarts")
        count = len(runs) if isinstance(runs, list | tuple) else 1
        # With the evidence of every path, training has a single run.
        once = count <= 1 or summary.get("evidence") == "every"
        runs_text = "the only run" if once else f"the best of {count} restarts"
        return f"{runs_text} by the likelihood of the training answers (log likelihood {format_figure(likelihood)})"
    best = _number(summary.get("valid_accuracy"))
    if epoch is not None and best is not None:
        return f"epoch {epoch:.0f}, the most accurate on validation data ({format_percent(best)})"
    return "the model does not say"


def _learned_from(summary: Mapping[str, Any]) -> str:
    unit = "examples" if "examples" in summary else "facts"
    number, seconds = _number(summary.get(unit)), _number(summary.get("seconds"))
    if number is None:
        return ""
    return f"{number:,.0f} training {unit}" + ("" if seconds is None else f" in {seconds:.1f} s")


def _paths(findings: Findings) -> str:
    policy = findings.summary.get("policy", findings.settings.get("answer_paths"))
    known = {
        "shortest": "shortest paths",
        "simple": "paths without a repeated entity",
        "trail": "trails (no fact twice)",
    }
    return known.get(policy, "") if isinstance(policy, str) else ""


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
