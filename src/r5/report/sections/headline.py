"""Headline: the report's first lines, which say in words and in a few figures what was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from r5.report.charts.axes import as_count, as_share, counted
from r5.report.findings import Findings
from r5.report.markup import NOTHING, definitions

__all__ = ["about", "figures", "how_chosen", "in_a_sentence"]


def in_a_sentence(findings: Findings) -> str:
    """What was found, for those who read no further."""
    result = findings.evaluation
    told = (
        f"The {findings.engine} engine answers {as_share(result.accuracy)} of {result.overall.n:,} "
        f"{findings.split} questions correctly"
    )
    if len(findings.rules):
        told += f", with {counted(len(findings.rules), 'rule')}"
        learned = _number(findings.summary.get("examples"))
        told += f" learned from {learned:,.0f} examples" if learned else ""
    return told + "."


def figures(findings: Findings) -> str:
    """The figures that matter most, in boxes."""
    result = findings.evaluation
    low, high = result.overall.interval
    boxes = [("accuracy", as_share(result.accuracy), f"95% interval {100 * low:.1f} to {100 * high:.1f}%")]
    silent = round(result.invalid_ratio * result.overall.n)
    boxes.append(("cannot say", as_share(result.invalid_ratio), f"{counted(silent, 'question')} without an answer"))
    if result.rule_recall is None:
        boxes.append(("rule recall", NOTHING, "the true rules are not known"))
    else:
        boxes.append(("rule recall", as_share(result.rule_recall), "true rules that were learned"))
    invented = sum(rule.invented for rule in findings.rules)
    boxes.append(
        ("rules", f"{len(findings.rules):,}", f"{invented:,} with invented relations" if invented else "learned")
    )
    boxes.append(("questions", f"{result.overall.n:,}", f"of the {findings.split} split"))
    boxes.append(("time", f"{result.seconds:.2f} s", "to answer them all"))
    return definitions(boxes, "figures")


def about(findings: Findings) -> str:
    """Which model, which data, which seed, and how the model was chosen."""
    summary = findings.summary
    seed = summary.get("seed", findings.settings.get("seed"))
    rows = [
        ("model", findings.model, ""),
        ("data", f"{findings.data}, {findings.split} split", ""),
        ("engine", findings.engine, ""),
        ("seed", "" if seed is None else str(seed), ""),
        ("learned from", _learned_from(summary), ""),
        ("chosen", how_chosen(summary, findings.settings), ""),
        ("answers over", _paths(findings), ""),
    ]
    return definitions([row for row in rows if row[1]], "about")


def how_chosen(summary: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """By what the model was picked among those that training went through.

    >>> how_chosen({"log_likelihood": -7938.3}, {"restarts": (0.1, 0.5)})
    'the best of 2 restarts by the likelihood of the training answers (log likelihood −7,938)'
    """
    epoch, fit = _number(summary.get("best_epoch")), _number(summary.get("training_fit"))
    if epoch is not None and fit is not None:
        restart = _number(summary.get("best_restart"))
        of = "" if restart is None else f" of restart {restart + 1:.0f}"
        answers = _number(summary.get("training_answers"))
        if settings.get("keep_epoch") == "last":
            why = "the last one"
        elif answers is not None:
            why = f"which answers the most training questions right ({as_share(answers)})"
        else:
            why = "which fits the training examples best"
        return f"epoch {epoch:.0f}{of}, {why} (fit {fit:.3f})"
    likelihood = _number(summary.get("log_likelihood"))
    if likelihood is not None:
        runs = settings.get("restarts")
        count = len(runs) if isinstance(runs, list | tuple) else 1
        # Where every path must allow the answer, there is one run whatever the restarts.
        once = count <= 1 or summary.get("evidence") == "every"
        most = "the only run" if once else f"the best of {count} restarts"
        return f"{most} by the likelihood of the training answers (log likelihood {as_count(likelihood)})"
    best = _number(summary.get("valid_accuracy"))
    if epoch is not None and best is not None:
        return f"epoch {epoch:.0f}, the most accurate on validation data ({as_share(best)})"
    return "the model does not say"


def _learned_from(summary: Mapping[str, Any]) -> str:
    examples, seconds = _number(summary.get("examples")), _number(summary.get("seconds"))
    if examples is None:
        return ""
    return f"{examples:,.0f} training examples" + ("" if seconds is None else f" in {seconds:.1f} s")


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
