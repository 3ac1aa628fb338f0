"""Page on a knowledge graph, with all sections and the data of its script."""

from __future__ import annotations

from html import escape

from r5._util.svg import element
from r5.derivations.completion_picture import PAGE_STYLE
from r5.report.browsers import example_browser, rule_browser
from r5.report.charts.formatting import count_noun
from r5.report.examples.selection import describe_selected
from r5.report.frame import read_asset, read_scripts, render_frame
from r5.report.graphs.discovery import audit_section, discovery_section
from r5.report.graphs.examples import example_articles, kind_of
from r5.report.graphs.fact_calibration import facts_section
from r5.report.graphs.findings import GraphFindings
from r5.report.graphs.judged_facts import fact_calibration_error
from r5.report.graphs.ranks import rank_section, relation_section
from r5.report.graphs.rule_data import graph_rules
from r5.report.graphs.share_calibration import share_section
from r5.report.html_elements import definition_list
from r5.report.page_data import NameIndex
from r5.report.sections.headline import model_rows

__all__ = ["render_graph_page"]

_SCRIPTS = ("elements", "theme", "paging", "chip", "rules", "browser", "graph_start")
"""Scripts in the order of the page; each one uses those before it."""


def render_graph_page(findings: GraphFindings) -> str:
    """Return the report as HTML; equal findings give equal bytes."""
    names = NameIndex()
    rules = graph_rules(findings.rules, names)
    values = {
        "ranks": rank_section(findings.ranking),
        "relations": relation_section(findings.ranking),
        "chosen": escape(_describe_examples(findings)),
        "examples": example_browser(
            element("div", example_articles(findings.examples), id="case"), wrong="Not in the data", silent="No answer"
        ),
        "missing": discovery_section(findings.unconfirmed, findings.confirmed),
        "audit": audit_section(findings.audit),
        "listed": escape(_listed_rules(findings)),
        "table": rule_browser("relation or constant"),
        "calibration": share_section(findings.answers),
        "facts": facts_section(findings.facts),
    }
    return render_frame(
        "graph.html",
        values,
        data=findings.data,
        sentence=_sentence(findings),
        figures=f"{_figures(findings)}\n{_describe_model(findings)}",
        style=read_asset("report.css") + PAGE_STYLE,
        script=read_scripts(_SCRIPTS),
        content={"rules": rules, "relations": names.names()},
    )


def _sentence(findings: GraphFindings) -> str:
    found = findings.ranking
    graph = findings.graph and f" {findings.graph[0].upper()}{findings.graph[1:]}."
    return (
        f"Of {found.n:,} {findings.split} questions about missing facts, the right entity comes first in "
        f"{found.hits[1]:.1%} and among the first ten in {found.hits[10]:.1%}, with "
        f"{count_noun(_rule_count(findings), 'rule')}.{graph}"
    )


def _rule_count(findings: GraphFindings) -> int:
    number = findings.summary.get("rules")
    return number if isinstance(number, int) else len(findings.rules)


def _listed_rules(findings: GraphFindings) -> str:
    listed, every = len(findings.rules), _rule_count(findings)
    return f" The {listed:,} best of {every:,} rules are listed." if listed < every else ""


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


def _describe_model(findings: GraphFindings) -> str:
    facts, entities, relations = findings.size
    graph = f"{count_noun(facts, 'fact')}, {entities:,} entities, {count_noun(relations, 'relation')}"
    return definition_list([*model_rows(findings), ("answers on", graph, "")], "about")


def _describe_examples(findings: GraphFindings) -> str:
    kinds = ["silent" if one.entity is None else "right" if one.right else "wrong" for one in findings.answers]
    chosen = [kind_of(one) for one in findings.examples]
    names = {"wrong": "with a first answer in no split", "silent": "without an answer", "right": "right"}
    return describe_selected(kinds, chosen, names)
