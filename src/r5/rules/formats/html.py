"""Rules as an HTML table for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from r5._util.html import html_table
from r5.rules.formats.direct import direct_sentence

if TYPE_CHECKING:
    from r5.rules.rule import Rule

__all__ = ["write_html"]

_FIGURES = ("probability", "score", "possibility", "pca", "support", "weight")


def write_html(rules: Sequence[Rule], most: int = 50) -> str:
    """Write the first rules as a table, with the statistics that any rule has and the number of further rules.

    >>> from r5.rules.rule import Rule
    >>> print(write_html([Rule("aunt", ("father", "sister"), probability=0.98)]))
    <table><thead><tr><th>rule</th><th>probability</th></tr></thead>
    <tbody>
    <tr><td>aunt(X, Y) &lt;= father(X, Z), sister(Z, Y)</td><td>0.98</td></tr>
    </tbody></table>
    """
    figures = [name for name in _FIGURES if any(getattr(rule, name) is not None for rule in rules)]
    rows = [[direct_sentence(rule), *(_short(getattr(rule, name)) for name in figures)] for rule in rules[:most]]
    more = f"\n<p>and {len(rules) - most:,} more</p>" if len(rules) > most else ""
    return html_table(["rule", *figures], rows) + more


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
