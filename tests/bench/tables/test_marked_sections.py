"""Marked sections: filled from results, and up to date in the committed pages."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from r5.bench.experiments.folder import load_experiments
from r5.bench.tables.experiment_tables import ExperimentTables
from r5.bench.tables.marked_sections import fill_sections, remove_sections, section_names
from r5.errors import R5Error
from tests.helpers.records import records_of

ROOT = Path(__file__).resolve().parents[3]
RESULTS = ROOT / "benchmarks" / "results" / "results.json"
TABLES = ExperimentTables(load_experiments(), records_of("re", "R5", "re_0", [0.7]))
PAGE = "Before.\n\n<!-- results:environment -->\nold\n<!-- /results -->\n\nAfter.\n"


def test_only_the_content_of_sections_is_replaced() -> None:
    made = fill_sections(PAGE, TABLES)
    assert made == PAGE.replace("old", f"\n{TABLES.environment()}\n")
    assert fill_sections(made, TABLES) == made
    assert remove_sections(made) == "Before.\n\n\n\nAfter.\n"


def test_a_section_without_end_or_results_is_an_error() -> None:
    with pytest.raises(R5Error, match="has no end"):
        fill_sections("<!-- results:re -->\n", TABLES)
    with pytest.raises(R5Error, match="there are no results for the section 'graphlog'"):
        fill_sections("<!-- results:graphlog -->\n<!-- /results -->", TABLES)
    with pytest.raises(R5Error, match="no table is called 'nonsense'"):
        fill_sections("<!-- results:nonsense -->\n<!-- /results -->", TABLES)


def test_a_mark_inside_a_line_is_not_a_section() -> None:
    text = "What stands between `<!-- results:NAME -->` and `<!-- /results -->` is made.\n"
    assert section_names(text) == []
    assert fill_sections(text, TABLES) == text
    assert section_names(PAGE) == ["environment"]


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_committed_pages_and_charts_match_the_committed_results() -> None:
    marked = [page.name for page in pages() if section_names(page.read_text(encoding="utf-8"))]
    if not RESULTS.is_file():
        assert marked == []
        return
    made = runpy.run_path(str(ROOT / "benchmarks" / "update_docs.py"))["render_pages"]()
    for path, text in made.items():
        assert path.read_text(encoding="utf-8") == text, (
            f"run python benchmarks/update_docs.py: {path.name} is not up to date"
        )


def test_readme_tables_outside_sections_have_no_accuracies() -> None:
    text = remove_sections((ROOT / "README.md").read_text(encoding="utf-8"))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert [row for row in rows if re.search(r"(?<![\w.])(0?\.\d{2,3}|1\.0)(?!\w)", row)] == []
