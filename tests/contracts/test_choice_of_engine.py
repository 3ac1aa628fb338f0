"""Figures of the page on the choice of an engine are those of the committed results."""

from __future__ import annotations

import re

import pytest

from tests.helpers.documentation import ROOT

PAGE = (ROOT / "docs" / "how-to" / "choose-an-engine.md").read_text(encoding="utf-8")
SOURCE = re.compile(r"`(benchmarks/[\w/]+\.md)`")
FIGURE = re.compile(r"(?<![\w.])(?:\d?\.\d{3}|\d{1,3}(?:,\d{3})+|\d+\.\d)(?![\w.]\d)")
ROUNDED = {"30,000", "38,000"}
"""Figures that are given in round numbers."""


def claims() -> list[str]:
    """The paragraphs and the rows of tables that name a file of results."""
    parts = re.split(r"\n\n|\n(?=\|)", PAGE)
    return [part for part in parts if SOURCE.search(part)]


@pytest.mark.parametrize("claim", claims(), ids=lambda claim: claim[:40])
def test_every_figure_of_the_page_is_in_the_results(claim: str) -> None:
    files = [(ROOT / name).read_text(encoding="utf-8") for name in SOURCE.findall(claim)]
    for figure in FIGURE.findall(claim):
        bare = figure.removeprefix("0")
        assert figure in ROUNDED or any(bare in text for text in files), figure


def test_the_page_has_figures() -> None:
    assert len(claims()) >= 7
    assert sum(len(FIGURE.findall(claim)) for claim in claims()) >= 15
