"""Rules as a table on a terminal: figures in columns, as many as fit."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence

from r5._util.ordering import format_number
from r5.rules.formats.direct import direct_sentence
from r5.rules.rule import Rule

__all__ = ["format_rule_table"]

_COLUMNS: tuple[tuple[str, Callable[[Rule], float | None]], ...] = (
    ("possible", lambda rule: rule.possibility),
    ("score", lambda rule: rule.score),
    ("confidence", lambda rule: rule.probability),
    ("support", lambda rule: rule.support),
    ("pca", lambda rule: rule.pca),
    ("weight", lambda rule: rule.weight),
    ("coverage", lambda rule: rule.body_probability if rule.predictions is not None else None),
)
"""Titles and figures, the most important first; the last ones are left out where they do not fit."""
_LEAST_RULE, _GAP, _INDENT = 40, 2, 4
"""Least width of the rules, blanks between columns, and indent of a rule's further lines."""


def format_rule_table(rules: Sequence[Rule], width: int) -> str:
    """Return rules as a table that is not wider than a terminal, unless a name is.

    A rule that is too long continues on the next line, after a comma. Figures that no rule has get no column.

    Args:
        rules: The rules in order.
        width: Columns of the terminal.

    >>> rules = [Rule("uncle", ("mother", "brother"), 0.98, support=412.0), Rule("son", ("son",), 0.5)]
    >>> print(format_rule_table(rules, 62))
    rule                                           p  support
    uncle(X, Y) <= mother(X, Z), brother(Z, Y)  0.98      412
    son(X, Y) <= son(X, Y)                       0.5
    """
    sentences = [direct_sentence(rule) for rule in rules]
    longest = max(map(len, sentences), default=0)
    columns = [
        (title, [_figure(value(rule)) for rule in rules])
        for title, value in _COLUMNS
        if any(value(rule) is not None for rule in rules)
    ]
    counted = [rule.predictions is not None or rule.weight is not None for rule in rules]
    columns = [("p" if title == "confidence" and not any(counted) else title, cells) for title, cells in columns]
    sizes = [max(len(title), *map(len, cells)) + _GAP for title, cells in columns] if rules else []
    while columns and width - sum(sizes) < min(longest, _LEAST_RULE):
        columns, sizes = columns[:-1], sizes[:-1]
    longest_line = max(min(longest, width - sum(sizes)), len("rule"))
    lines = [_line(["rule"], [title for title, _ in columns], sizes, longest_line)]
    for place, sentence in enumerate(sentences):
        lines.append(
            _line(_wrapped(sentence, longest_line), [cells[place] for _, cells in columns], sizes, longest_line)
        )
    return "\n".join(lines)


def _line(rule: list[str], cells: Sequence[str], sizes: Sequence[int], longest_line: int) -> str:
    figures = "".join(f"{cell:>{size}}" for cell, size in zip(cells, sizes, strict=True))
    return "\n".join([f"{rule[0]:<{longest_line}}{figures}".rstrip(), *rule[1:]])


def _wrapped(sentence: str, longest_line: int) -> list[str]:
    """Break a rule before an atom; an atom longer than the width stays whole."""
    whole = re.sub(r"\([^()]*\)", lambda found: found[0].replace(" ", "\0"), sentence)
    lines = textwrap.wrap(
        whole, longest_line, subsequent_indent=" " * _INDENT, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace("\0", " ") for line in lines] or [sentence]


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else format_number(value, ".3g")
