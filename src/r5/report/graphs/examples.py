"""Section of examples: queries with their first answer and the reasons for it."""

from __future__ import annotations

from collections.abc import Sequence

from r5._util.svg import element
from r5.derivations.completion_picture import draw_completion
from r5.report.charts.formatting import format_probability
from r5.report.graphs.findings import ExplainedAnswer
from r5.report.html_elements import absence_note, details, paragraph, scroll_box

__all__ = ["example_articles", "kind_of"]

_VERDICTS = {
    "right": "✓ First answer right",
    "wrong": "✕ First answer in no split of the data",
    "silent": "– No answer",  # noqa: RUF001
}


def kind_of(example: ExplainedAnswer) -> str:
    """Return `right`, `wrong` or `silent`."""
    if example.first is None:
        return "silent"
    return "right" if example.answer.right else "wrong"


def example_articles(examples: Sequence[ExplainedAnswer]) -> str:
    """Return one article per example as HTML; the script of the page shows one at a time.

    All but the first are hidden from the start: a browser lays out hundreds of pictures slowly.
    """
    if not examples:
        return absence_note("There is nothing to show.")
    return "".join(_article(one, hidden=place > 0) for place, one in enumerate(examples))


def _article(example: ExplainedAnswer, hidden: bool) -> str:
    head, relation, tail = example.answer.query
    kind, truth = kind_of(example), example.answer.truth
    title = f"{head or '?'} –{relation}→ {tail or '?'}"  # noqa: RUF001
    parts = [
        element("p", class_=f"verdict {kind}", text=_VERDICTS[kind]),
        element("h3", text=title),
    ]
    told = f"no answer; the data has {truth}"
    if example.first is not None:
        told = example.first.entity if kind == "right" else f"{example.first.entity}; the data has {truth}"
        answer = f"{example.first.entity}: P(fact) {format_probability(example.first.probability)}."
        name = f"Reasons for {example.first.entity}"
        parts += [paragraph(answer), scroll_box(name, draw_completion(example.first, styled=False))]
    if kind != "right":
        probability = "" if example.wanted is None else f", P(fact) {format_probability(example.wanted.probability)}"
        parts.append(paragraph(f"The data has {truth}{probability}."))
    if example.wanted is not None:
        name = f"Reasons for {truth}"
        parts.append(details(name, scroll_box(name, draw_completion(example.wanted, styled=False))))
    number = example.number
    return element(
        "article",
        *parts,
        id=f"example-{number}",
        data_number=number,
        data_kind=kind,
        data_title=title,
        data_told=told,
        hidden="" if hidden else None,
    )
