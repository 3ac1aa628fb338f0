"""Files of the page: those of the explorer and those of the report that it shares."""

from __future__ import annotations

import gzip
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from r5.derivations.relation_colours import COLOURS, colour_classes

__all__ = ["PageFile", "load_files"]

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_MAIN = "/assets/main.js"
_IMPORT = re.compile(r'^(?:import|export)\b[^"\n]*"(\.[^"]+\.js)";$', re.MULTILINE)
_REPORT = ("elements", "theme", "paging", "drawing", "question")
"""Scripts of the report that the explorer uses, in order of dependence."""
_EXPORTED = "byId, build, draw, shortened, counted, figure, colourOf, startTheme, startPager, startQuestion, factOf"


@dataclass(frozen=True)
class PageFile:
    """File of the page."""

    content: bytes
    compressed: bytes
    """Content compressed with gzip."""
    type: str


def load_files(prefix: str = "") -> dict[str, PageFile]:
    """Return all files by URL path: the page is `/`, other files are under `/assets/`.

    Args:
        prefix: Prefix of the URLs in the page, behind a proxy.
    """
    own = files("r5.serve") / "assets"
    found = {
        f"/assets/{path}": _make_file(file.read_text(encoding="utf-8"), path)
        for path, file in _walk(own)
        if path.rpartition(".")[2] in _TYPES and path != "index.html"
    }
    found["/assets/report.css"] = _make_file(_read_report_asset("report.css"), "report.css")
    found["/assets/relations.css"] = _make_file(_relation_style(), "relations.css")
    found["/assets/report.js"] = _make_file(_report_module(), "report.js")
    page = (own / "index.html").read_text(encoding="utf-8")
    preloads = "".join(f'<link rel="modulepreload" href="{path}">\n' for path in _imported(found, _MAIN))
    page = page.replace("<script", f"{preloads}<script", 1).replace('"/assets/', f'"{prefix}/assets/')
    found["/"] = _make_file(page, "index.html")
    return found


def _imported(found: dict[str, PageFile], path: str) -> list[str]:
    """Return the modules that a module imports, and those that they import: the browser loads all at once."""
    seen = [path]
    for one in seen:
        names = _IMPORT.findall(found[one].content.decode())
        paths = [posixpath.normpath(posixpath.join(posixpath.dirname(one), name)) for name in names]
        seen += [other for other in dict.fromkeys(paths) if other not in seen]
    return seen[1:]


def _walk(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    """Yield all files below a folder with their paths."""
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        else:
            yield f"{prefix}{entry.name}", entry


def _relation_style() -> str:
    """Return the colours of relations, those of the pictures of derivations."""
    colours = "".join(f"  --relation-{n}: light-dark({light}, {dark});\n" for n, (light, dark) in enumerate(COLOURS))
    return f":root {{\n{colours}}}\n{colour_classes('')}"


def _report_module() -> str:
    """Concatenate the scripts of the report into one module."""
    return "\n".join([*(_read_report_asset(f"{name}.js") for name in _REPORT), f"export {{ {_EXPORTED} }};", ""])


def _read_report_asset(name: str) -> str:
    return (files("r5.report") / "assets" / name).read_text(encoding="utf-8")


def _make_file(text: str, name: str) -> PageFile:
    content = text.encode()
    return PageFile(content, gzip.compress(content, mtime=0), _TYPES[name.rpartition(".")[2]])
