"""Page on a knowledge graph: one HTML file without scripts."""

from __future__ import annotations

from html import escape
from typing import Any

from r5._util.svg import element
from r5.derivations.completion_picture import STYLE, draw_completion
from r5.report.charts.formatting import count_noun
from r5.report.frame import read_asset, render_frame
from r5.report.graphs.fact_calibration import facts_section
from r5.report.graphs.findings import ExplainedAnswer, GraphFindings
from r5.report.graphs.judged_facts import fact_calibration_error
from r5.report.html_elements import absence_note, definition_list, details, figure, paragraph, scroll_box, table
from r5.report.sections.calibration import bin_answers, reliability_diagram
from r5.rules.rule import Rule

__all__ = ["render_graph_page"]

_RULES = 10
"""Maximum number of rules per relation."""
_RELATIONS = 200
"""Maximum number of relations."""


def render_graph_page(findings: GraphFindings) -> str:
    """Return the report as HTML; equal findings give equal bytes."""
    values = {
        "ranks": _ranks(findings),
        "relations": _relations(findings),
        "rules": _rules(findings),
        "calibration": _calibration(findings),
        "facts": facts_section(findings.facts),
        "chosen": escape(_describe_examples(findings)),
        "examples": _examples(findings),
    }
    return render_frame(
        "graph.html",
        values,
        data=findings.data,
        sentence=_sentence(findings),
        figures=_figures(findings),
        style=read_asset("report.css") + STYLE,
    )


def _sentence(findings: GraphFindings) -> str:
    found = findings.ranking
    graph = findings.graph and f" {findings.graph[0].upper()}{findings.graph[1:]}."
    return (
        f"Of {found.n:,} {findings.split} questions about missing facts, the right entity comes first in "
        f"{found.hits[1]:.1%} and among the first ten in {found.hits[10]:.1%}, with {_rule_count(findings)}.{graph}"
    )


def _rule_count(findings: GraphFindings) -> str:
    """Return the number of rules, and the number of listed ones if that is smaller."""
    listed = len(findings.rules)
    rules = findings.summary.get("rules", listed)
    return f"{rules:,} rules" + (f" ({listed:,} listed)" if listed < rules else "")


def _figures(findings: GraphFindings) -> str:
    found = findings.ranking
    boxes = [
        ("MRR", f"{found.mrr:.3f}", "mean reciprocal rank"),
        *(
            (f"Hits@{k}", f"{share:.3f}", f"right among the first {k}" if k > 1 else "right one first")
            for k, share in found.hits.items()
        ),
        ("calibration error", f"{findings.share_calibration_error:.3f}", "of the shares of first answers"),
    ]
    if findings.facts:
        error = fact_calibration_error(findings.facts)
        boxes.append(
            ("calibration error", f"{error:.3f}", f"of P(fact), {count_noun(len(findings.facts), 'new fact')}")
        )
    return definition_list(boxes, "figures")


def _cells(part: dict[str, Any]) -> list[str]:
    return [f"{part['n']:,}", f"{part['mrr']:.3f}", *(f"{part['hits'][k]:.3f}" for k in ("1", "3", "10"))]


_HEAD = ["questions", "MRR", "Hits@1", "Hits@3", "Hits@10"]


def _ranks(findings: GraphFindings) -> str:
    names = {"tail": "tail queries: (h, r, ?)", "head": "head queries: (?, r, t)"}
    rows = [[names.get(name, name), *_cells(part)] for name, part in findings.ranking.by_direction.items()]
    return scroll_box("Ranks by direction", table("Ranks by direction of the query", ["", *_HEAD], rows))


def _relations(findings: GraphFindings) -> str:
    ordered = sorted(findings.ranking.by_relation.items(), key=lambda item: -item[1]["n"])
    rows = [[name, *_cells(part)] for name, part in ordered[:_RELATIONS]]
    caption = "Ranks by relation, the most frequent first"
    return scroll_box("Ranks by relation", table(caption, ["relation", *_HEAD], rows))


def _rules(findings: GraphFindings) -> str:
    by_head: dict[str, list[Rule]] = {}
    for rule in findings.rules:
        by_head.setdefault(rule.head, []).append(rule)
    if not by_head:
        return absence_note("The model has no rules.")
    parts = []
    for head in sorted(by_head):
        rows = [[rule.sentence(), *map(_format_figure, _rule_figures(rule))] for rule in by_head[head][:_RULES]]
        titles = ["rule", "weight", "confidence", "support", "coverage", "PCA confidence"]
        body = scroll_box(f"Rules for {head}", table(f"The best of {len(by_head[head]):,} rules", titles, rows))
        parts.append(details(f"{head}: {len(by_head[head]):,} rules", body))
    return "".join(parts)


def _rule_figures(rule: Rule) -> tuple[float | None, ...]:
    return rule.weight, rule.probability, rule.support, rule.body_probability, rule.pca


def _format_figure(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if float(value).is_integer() and abs(value) > 1 else f"{value:.3f}"


def _calibration(findings: GraphFindings) -> str:
    answered = [one for one in findings.answers if one.entity is not None]
    if not answered:
        return absence_note("There is no answer whose share could be judged.")
    bins = bin_answers([one.share for one in answered], [one.right for one in answered])
    description = "; ".join(f"share {one.confidence:.2f}, right {one.answers.accuracy:.2f}" for one in bins)
    title = "Reliability diagram of shares"
    chart = reliability_diagram("calibration", bins, title=title, description=f"{description}.", kind="share")
    rows = [
        [f"{one.low:g} to {one.high:g}", f"{one.answers.n:,}", f"{one.confidence:.3f}", f"{one.answers.accuracy:.3f}"]
        for one in bins
    ]
    shown = table("First answers by share", ["share", "answers", "mean share", "right"], rows)
    words = paragraph(
        "The share of a candidate is the probability that it is the answer, given that the query has one new answer. "
        "On the dashed diagonal, first answers with a share of 0.9 are right nine times in ten."
    )
    caption = "Right first answers by share; whiskers are 95% intervals"
    return element("div", figure(chart, caption, "square"), element("div", words, shown), class_="side-by-side")


def _describe_examples(findings: GraphFindings) -> str:
    return (
        f"The first {len(findings.wrong)} questions whose first answer is in no split of the data, and the first "
        f"{len(findings.right)} whose first answer is right; other true answers are left out. What the data does not "
        "have need not be false."
    )


def _examples(findings: GraphFindings) -> str:
    parts = [_example(one, "First answer not in the data") for one in findings.wrong]
    parts += [_example(one, "First answer right") for one in findings.right]
    return "".join(parts) or absence_note("There is nothing to show.")


def _example(one: ExplainedAnswer, verdict: str) -> str:
    head, relation, tail = one.answer.query
    lines = [element("h3", text=f"{head or '?'} \u2013 {relation} \u2013 {tail or '?'}")]
    if one.first is None:
        return "".join([*lines, paragraph(f"No answer; the wanted answer is {one.answer.truth}.")])
    figures = f"share {one.answer.share:.3f}, P(fact) {one.first.probability:.3f}"
    lines.append(paragraph(f"{verdict}: {one.first.entity}, {figures}."))
    lines.append(scroll_box("Reasons", draw_completion(one.first, styled=False)))
    if one.first.entity != one.answer.truth:
        probability = "" if one.wanted is None else f", which has P(fact) {one.wanted.probability:.3f}"
        lines.append(paragraph(f"The wanted answer is {one.answer.truth}{probability}."))
    if one.wanted is not None:
        lines.append(
            details(
                f"What speaks for {one.wanted.entity}", scroll_box("Reasons", draw_completion(one.wanted, styled=False))
            )
        )
    return "".join(lines)
