"""HTML elements of the sections; `element` escapes all text."""

from __future__ import annotations

from collections.abc import Sequence

from r5._util.svg import element

__all__ = ["NOTHING", "absence_note", "definition_list", "details", "figure", "paragraph", "scroll_box", "table"]

NOTHING = "\u2013"
"""Placeholder for a missing figure."""


def paragraph(text: str, kind: str | None = None) -> str:
    """Return a paragraph of plain text."""
    return element("p", class_=kind, text=text)


def absence_note(text: str) -> str:
    """Return a paragraph that explains why a section is empty."""
    return paragraph(text, "absent")


def figure(chart: str, caption: str, kind: str | None = None) -> str:
    """Return a chart with its caption."""
    return element("figure", element("figcaption", text=caption), chart, class_=kind)


def scroll_box(label: str, *children: str) -> str:
    """Return a box that scrolls horizontally, so that the page does not, and that the keyboard reaches."""
    return element("div", *children, class_="scroller", role="region", aria_label=label, tabindex=0)


def details(summary: str, *children: str) -> str:
    """Return content that the reader can unfold."""
    return element("details", element("summary", text=summary), *children)


def definition_list(pairs: Sequence[tuple[str, str, str]], kind: str) -> str:
    """Return terms with a value and a remark each, as plain text."""
    parts = []
    for term, value, remark in pairs:
        entries = [element("dd", text=value)]
        if remark:
            entries.append(element("dd", class_="remark", text=remark))
        parts.append(element("div", element("dt", text=term), *entries))
    return element("dl", *parts, class_=kind)


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> str:
    """Return a table whose first column names the rows; columns after the first `words` contain figures.

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
