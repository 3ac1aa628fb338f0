"""The page and its parts, read once: those of the explorer, and those of the report that it uses as they are."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from importlib.resources import files

__all__ = ["Part", "parts"]

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_REPORT = ("elements", "theme", "paging", "drawing", "question")
"""Scripts of the report that the explorer uses, each using those before it."""
_EXPORTED = "byId, build, draw, shortened, counted, figure, startTheme, startPager, startQuestion, factOf"


@dataclass(frozen=True)
class Part:
    """One file of the page."""

    content: bytes
    packed: bytes
    """The same, packed as browsers unpack it."""
    type: str


def parts() -> dict[str, Part]:
    """All files by their path: the page itself is `/`, the others are under `/assets/`."""
    own = files("r5.serve") / "assets"
    found = {
        "/" if file.name == "index.html" else f"/assets/{file.name}": _part(file.read_text(encoding="utf-8"), file.name)
        for file in own.iterdir()
        if file.name.rpartition(".")[2] in _TYPES
    }
    found["/assets/report.css"] = _part(_of_report("report.css"), "report.css")
    found["/assets/report.js"] = _part(_report_module(), "report.js")
    return found


def _report_module() -> str:
    """The report's scripts, which stand one after the other in its page, as one module."""
    return "\n".join([*(_of_report(f"{name}.js") for name in _REPORT), f"export {{ {_EXPORTED} }};", ""])


def _of_report(name: str) -> str:
    return (files("r5.report") / "assets" / name).read_text(encoding="utf-8")


def _part(text: str, name: str) -> Part:
    content = text.encode()
    return Part(content, gzip.compress(content, mtime=0), _TYPES[name.rpartition(".")[2]])
