"""Files of the page."""

from __future__ import annotations

import posixpath
import re

from r5.derivations.relation_colours import COLOURS
from r5.serve.http.page import load_files


def test_page_files_load_nothing_from_other_hosts() -> None:
    found = load_files()
    assert {"/", "/assets/main.js", "/assets/report.js", "/assets/report.css"} <= set(found)
    for path, part in found.items():
        text = part.content.decode()
        # Vendored files name their home in a comment.
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg|d3js\.org/d3-)", text), path
        assert "innerHTML" not in text
        assert "eval(" not in text
    page = found["/"].content.decode()
    assert not re.search(r"<script(?! type=\"module\" src)|<style| style=| on[a-z]+=", page)
    for path, part in found.items():
        for name in re.findall(r'(?:from|import) "(\.[^"]+\.js)"', part.content.decode()):
            assert posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) in found, (path, name)


def test_colours_of_relations_are_those_of_the_pictures() -> None:
    style = load_files()["/assets/relations.css"].content.decode()
    for number, (light, dark) in enumerate(COLOURS):
        assert f"--relation-{number}: light-dark({light}, {dark});" in style
        assert f".r{number} {{ --relation: var(--relation-{number}) }}" in style
