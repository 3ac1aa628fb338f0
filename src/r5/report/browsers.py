"""Browsers of a page, which its scripts fill: the examples with a list, filters and search, and the table of rules."""

from __future__ import annotations

from html import escape
from string import Template

from r5.report.frame import read_asset

__all__ = ["example_browser", "rule_browser"]


def example_browser(shown: str, *, wrong: str, silent: str) -> str:
    """Return the browser of examples as HTML.

    Args:
        shown: Place of the selected example, as HTML.
        wrong: Name of the filter for wrong answers.
        silent: Name of the filter for queries without an answer.
    """
    first = f"{wrong.lower()} first"
    names = {"wrong": wrong, "silent": silent, "first": first}
    return _fill("examples.html", shown=shown, **{key: escape(name) for key, name in names.items()})


def rule_browser(searched: str) -> str:
    """Return the table of rules as HTML.

    Args:
        searched: Kinds of names that the search finds.
    """
    return _fill("rules.html", searched=escape(searched))


def _fill(template: str, **values: str) -> str:
    return Template(read_asset(template)).substitute(values)
