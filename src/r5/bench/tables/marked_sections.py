"""Marked sections of Markdown pages, which are filled from the results.

A section begins with the line `<!-- results:NAME -->` and ends with the line `<!-- /results -->`. NAME is the name of
an experiment, or `summary`, `environment`, `stand-ins` or `spreads`; names for knowledge graphs begin with `graphs`.
"""

from __future__ import annotations

import re
from typing import Protocol

from r5.errors import R5Error

__all__ = ["fill_sections", "remove_sections", "section_names"]

_BEGIN = re.compile(r"^<!-- results:([\w-]+) -->$", flags=re.MULTILINE)
_SECTION = re.compile(r"^(<!-- results:([\w-]+) -->\n)(.*?)^(<!-- /results -->)$", flags=re.DOTALL | re.MULTILINE)


def section_names(text: str) -> list[str]:
    """Return the names of the sections of a page."""
    return _BEGIN.findall(text)


class SectionSource(Protocol):
    """Source of the content of sections."""

    def section(self, name: str) -> str: ...


def fill_sections(text: str, source: SectionSource) -> str:
    """Return a page with the content of each section replaced.

    Args:
        text: The page.
        source: Source of the new content.

    Raises:
        R5Error: A section has no end, or there are no results for it.
    """
    if len(section_names(text)) != len(_SECTION.findall(text)):
        raise R5Error("a section of results has no end: expected <!-- /results --> on a line of its own")

    def replace_section(match: re.Match[str]) -> str:
        content = source.section(match[2])
        if not content:
            raise R5Error(f"there are no results for the section {match[2]!r}")
        return f"{match[1]}\n{content}\n\n{match[4]}"

    return _SECTION.sub(replace_section, text)


def remove_sections(text: str) -> str:
    """Return a page without its sections."""
    return _SECTION.sub("", text)
