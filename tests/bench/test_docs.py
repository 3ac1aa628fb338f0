"""Results in pages: sections are made anew, and the committed pages agree with the committed results."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from r5.bench.docs import fill, outside, sections
from r5.bench.experiments import load_experiments
from r5.bench.tables import Tables
from r5.errors import R5Error
from tests.helpers.records import records_of

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "results.json"
TABLES = Tables(load_experiments(), records_of("re", "R5", "re_0", [0.7]))
PAGE = "Before.\n\n<!-- results:environment -->\nold\n<!-- /results -->\n\nAfter.\n"


def test_a_section_is_made_anew_and_the_rest_stays() -> None:
    made = fill(PAGE, TABLES)
    assert made == PAGE.replace("old", f"\n{TABLES.environment()}\n")
    assert fill(made, TABLES) == made
    assert outside(made) == "Before.\n\n\n\nAfter.\n"


def test_a_section_without_end_or_results_is_an_error() -> None:
    with pytest.raises(R5Error, match="has no end"):
        fill("<!-- results:re -->\n", TABLES)
    with pytest.raises(R5Error, match="there are no results for the section 'graphlog'"):
        fill("<!-- results:graphlog -->\n<!-- /results -->", TABLES)
    with pytest.raises(R5Error, match="no table is called 'nonsense'"):
        fill("<!-- results:nonsense -->\n<!-- /results -->", TABLES)


def test_a_mark_within_a_line_is_no_section() -> None:
    text = "What stands between `<!-- results:NAME -->` and `<!-- /results -->` is made.\n"
    assert sections(text) == []
    assert fill(text, TABLES) == text
    assert sections(PAGE) == ["environment"]


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_committed_pages_and_the_picture_agree_with_the_committed_results() -> None:
    marked = [page.name for page in pages() if sections(page.read_text(encoding="utf-8"))]
    if not RESULTS.is_file():
        assert marked == []
        return
    made = runpy.run_path(str(ROOT / "benchmarks" / "update_docs.py"))["made"]()
    for path, text in made.items():
        assert path.read_text(encoding="utf-8") == text, (
            f"run python benchmarks/update_docs.py: {path.name} is not up to date"
        )


def test_no_accuracy_stands_in_a_table_of_the_readme_by_hand() -> None:
    text = outside((ROOT / "README.md").read_text(encoding="utf-8"))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert [row for row in rows if re.search(r"(?<![\w.])(0?\.\d{2,3}|1\.0)(?!\w)", row)] == []
