"""Results in pages of Markdown: what stands between two marks is made from the results, and never by hand.

A section begins with `<!-- results:NAME -->` and ends with `<!-- /results -->`, each on a line of its own; NAME is that
of an experiment, or `summary`, `environment`, `stand-ins` or `spreads`; those of knowledge graphs begin with `graphs`.
"""

from __future__ import annotations

import re
from typing import Protocol

from r5.errors import R5Error

__all__ = ["fill", "outside", "sections"]

_BEGIN = re.compile(r"^<!-- results:([\w-]+) -->$", flags=re.MULTILINE)
_SECTION = re.compile(r"^(<!-- results:([\w-]+) -->\n)(.*?)^(<!-- /results -->)$", flags=re.DOTALL | re.MULTILINE)


def sections(text: str) -> list[str]:
    """The names of the sections of a page."""
    return _BEGIN.findall(text)


class Sections(Protocol):
    """What makes sections by name."""

    def section(self, name: str) -> str: ...


def fill(text: str, tables: Sections) -> str:
    """The page with each marked section made anew; an error where a section has no end or no results."""
    if len(sections(text)) != len(_SECTION.findall(text)):
        raise R5Error("a section of results has no end: expected <!-- /results --> on a line of its own")

    def made(match: re.Match[str]) -> str:
        content = tables.section(match[2])
        if not content:
            raise R5Error(f"there are no results for the section {match[2]!r}")
        return f"{match[1]}\n{content}\n\n{match[4]}"

    return _SECTION.sub(made, text)


def outside(text: str) -> str:
    """The page without its sections of results."""
    return _SECTION.sub("", text)
