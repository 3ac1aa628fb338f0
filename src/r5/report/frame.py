"""The frame that every report stands in: head, list of sections, first lines, and what closes the page."""

from __future__ import annotations

import re
from html import escape
from importlib.resources import files
from string import Template

from r5 import __version__
from r5.report.embedding import as_json, security_policy

__all__ = ["framed", "read_asset"]

_SECTION = re.compile(r'<section id="(\w+)".*?>\n<h2.*?>(.*?)</h2>')
_SWITCH = '<button type="button" id="theme" aria-pressed="false">Dark</button>\n'
"""Only a script can change the colours."""


def framed(
    template: str,
    values: dict[str, str],
    *,
    data: str,
    sentence: str,
    figures: str,
    style: str,
    script: str = "",
    content: object = None,
) -> str:
    """A page of its own, with nothing outside it: the named template filled with values, and what a script needs."""
    sections = read_asset(template)
    scripts = f"""<script type="application/json" id="content">{as_json(content)}</script>
<script type="module">{script}</script>
"""
    return Template(read_asset("frame.html")).substitute(
        title=escape(f"{data}: r5 report"),
        policy=security_policy(style, script),
        style=style,
        version=__version__,
        sections="\n".join(f'<li><a href="#{mark}">{name}</a></li>' for mark, name in _SECTION.findall(sections)),
        controls=_SWITCH if script else "",
        data=escape(data),
        sentence=escape(sentence),
        figures=figures,
        body=Template(sections).substitute(values),
        scripts=scripts if script else "",
    )


def read_asset(name: str) -> str:
    """A file of the folder `assets`."""
    return (files("r5.report") / "assets" / name).read_text(encoding="utf-8")
