"""House style that a count can check: docstrings, parameters, modules of a package, skipped formatting."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.language import (
    crowded_packages,
    long_signatures,
    question_docstrings,
    skipped_formatting,
    source_files,
)

SOURCE = Path(__file__).resolve().parents[2] / "src" / "r5"


def test_no_docstring_begins_with_a_question_word() -> None:
    assert [place for file in source_files([SOURCE]) for place in question_docstrings(file)] == []


def test_functions_outside_the_command_line_take_at_most_eight_positional_parameters() -> None:
    files = [file for file in source_files([SOURCE]) if "cli" not in file.relative_to(SOURCE).parts]
    assert [place for file in files for place in long_signatures(file)] == []


def test_packages_have_at_most_fourteen_modules() -> None:
    assert list(crowded_packages(SOURCE)) == []


def test_the_formatter_skips_nothing() -> None:
    assert [place for file in source_files([SOURCE]) for place in skipped_formatting(file)] == []


@pytest.mark.parametrize(
    "text", ["What the rules say.", "How often a rule holds.", "So many facts.", "Whether it holds."]
)
def test_question_words_are_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "module.py").write_text(f'def f():\n    """{text}"""\n', encoding="utf-8")
    assert len(list(question_docstrings(tmp_path / "module.py"))) == 1
