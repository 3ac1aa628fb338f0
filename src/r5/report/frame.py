"""Frame of every report: head, list of sections, headline and scripts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from string import Template

from r5 import __version__
from r5.report.page_data import as_json, security_policy

__all__ = ["read_asset", "read_scripts", "render_frame"]

_SECTION = re.compile(r'<section id="(\w+)".*?>\n<h2.*?>(.*?)</h2>')


def render_frame(
    template: str,
    values: dict[str, str],
    *,
    data: str,
    sentence: str,
    figures: str,
    style: str,
    script: str,
    content: object,
) -> str:
    """Return a self-contained page.

    Args:
        template: Name of the template of the sections.
        values: Values of its placeholders, as HTML.
        data: Name of the data set.
        sentence: First sentence of the page.
        figures: Headline figures, as HTML.
        style: Style sheet.
        script: Script.
        content: Data of the script.
    """
    sections = read_asset(template)
    return Template(read_asset("frame.html")).substitute(
        title=escape(f"{data}: r5 report"),
        policy=security_policy(style, script),
        style=style,
        version=__version__,
        sections="\n".join(f'<li><a href="#{mark}">{name}</a></li>' for mark, name in _SECTION.findall(sections)),
        data=escape(data),
        sentence=escape(sentence),
        figures=figures,
        body=Template(sections).substitute(values),
        content=as_json(content),
        script=script,
    )


def read_scripts(names: Sequence[str]) -> str:
    """Return scripts of the folder `assets` in their order, as one."""
    return "\n".join(read_asset(f"{name}.js") for name in names)


def read_asset(name: str) -> str:
    """Return the text of a file of the folder `assets`."""
    return (files("r5.report") / "assets" / name).read_text(encoding="utf-8")
