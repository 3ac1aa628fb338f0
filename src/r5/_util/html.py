"""HTML tables as escaped text, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from r5._util.svg import element

__all__ = ["html_table"]


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table with a row of titles; all text is escaped.

    >>> print(html_table(["rule", "p"], [["a < b", 0.5]]))
    <table><thead><tr><th>rule</th><th>p</th></tr></thead>
    <tbody>
    <tr><td>a &lt; b</td><td>0.5</td></tr>
    </tbody></table>
    """
    titles = element("tr", *(element("th", text=name) for name in head))
    lines = [element("tr", *(element("td", text=text) for text in row)) for row in rows]
    return "\n".join([f"<table><thead>{titles}</thead>", "<tbody>", *lines, "</tbody></table>"])
