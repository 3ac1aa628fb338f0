"""Pieces of HTML that the sections share. Everything that is text goes through `element`, which escapes it."""

from __future__ import annotations

from collections.abc import Sequence

from r5._util.svg import element

__all__ = ["NOTHING", "absent", "definitions", "details", "figure", "paragraph", "scroller", "table"]

NOTHING = "\u2013"
"""Stands where there is no figure."""


def paragraph(text: str, kind: str | None = None) -> str:
    """A paragraph of plain text."""
    return element("p", class_=kind, text=text)


def absent(text: str) -> str:
    """Says why there is nothing to be seen."""
    return paragraph(text, "absent")


def figure(chart: str, caption: str, kind: str | None = None) -> str:
    """A chart with its caption."""
    return element("figure", element("figcaption", text=caption), chart, class_=kind)


def scroller(label: str, *children: str) -> str:
    """A box that scrolls sideways by itself, so that the page never does; the keyboard can reach it."""
    return element("div", *children, class_="scroller", role="region", aria_label=label, tabindex=0)


def details(summary: str, *children: str) -> str:
    """Something to be unfolded."""
    return element("details", element("summary", text=summary), *children)


def definitions(pairs: Sequence[tuple[str, str, str]], kind: str) -> str:
    """Terms with a value and a remark each; what is already markup is not accepted."""
    parts = []
    for term, value, remark in pairs:
        told = [element("dd", text=value)]
        if remark:
            told.append(element("dd", class_="remark", text=remark))
        parts.append(element("div", element("dt", text=term), *told))
    return element("dl", *parts, class_=kind)


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> str:
    """A table whose first column names the rows; all but the first `words` columns hold figures.

    >>> table("Lengths", ["hops", "n"], [["4", "100"]]).split("<tbody>")[1]
    '<tr><th scope="row">4</th><td class="number">100</td></tr></tbody></table>'
    """
    titles = [element("th", scope="col", class_=None if n < words else "number", text=t) for n, t in enumerate(head)]
    lines = []
    for row in rows:
        cells = [element("td", class_=None if n < words else "number", text=t) for n, t in enumerate(row[1:], start=1)]
        lines.append(element("tr", element("th", scope="row", text=row[0]), *cells))
    return element(
        "table",
        element("caption", text=caption),
        element("thead", element("tr", *titles)),
        element("tbody", *lines),
    )
