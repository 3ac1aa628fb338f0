"""House style that a count can check: docstrings, words, parameters, sizes, skipped formatting, tests that check."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.language import (
    crowded_packages,
    long_files,
    long_signatures,
    private_words,
    question_docstrings,
    skipped_formatting,
    source_files,
    unchecked_tests,
)

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "r5"


def test_no_docstring_begins_with_a_question_word() -> None:
    assert [place for file in source_files([SOURCE]) for place in question_docstrings(file)] == []


def test_functions_outside_the_command_line_take_at_most_eight_positional_parameters() -> None:
    files = [file for file in source_files([SOURCE]) if "cli" not in file.relative_to(SOURCE).parts]
    assert [place for file in files for place in long_signatures(file)] == []


def test_packages_have_at_most_fourteen_modules() -> None:
    assert list(crowded_packages(SOURCE)) == []


def test_the_formatter_skips_nothing() -> None:
    assert [place for file in source_files([SOURCE]) for place in skipped_formatting(file)] == []


def test_files_have_at_most_four_hundred_lines() -> None:
    assert list(long_files(source_files([SOURCE, ROOT / "tests"]))) == []


def test_names_and_docstrings_use_the_words_of_the_field() -> None:
    assert [place for file in source_files([SOURCE]) for place in private_words(file)] == []


def test_every_test_can_fail() -> None:
    assert [place for file in source_files([ROOT / "tests"]) for place in unchecked_tests(file)] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("class StoreRoom:\n    pass\n", ["room: write capacity or scratch"]),
        ('def f(rivals):\n    """A heat map of a stretch."""\n', ["rivals: write exclusions", "stretch: write span"]),
        ("temperature = headroom = 1\n", []),
    ],
)
def test_private_words_are_found(tmp_path: Path, text: str, words: list[str]) -> None:
    (tmp_path / "module.py").write_text(text, encoding="utf-8")
    assert sorted(word for _, _, word in private_words(tmp_path / "module.py")) == words


def test_tests_without_a_check_are_found(tmp_path: Path) -> None:
    (tmp_path / "test_module.py").write_text(
        "def test_a():\n    f()\ndef test_b():\n    assert f()\n", encoding="utf-8"
    )
    assert [name for _, _, name in unchecked_tests(tmp_path / "test_module.py")] == ["test_a"]


@pytest.mark.parametrize(
    "text", ["What the rules say.", "How often a rule holds.", "So many facts.", "Whether it holds."]
)
def test_question_words_are_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "module.py").write_text(f'def f():\n    """{text}"""\n', encoding="utf-8")
    assert len(list(question_docstrings(tmp_path / "module.py"))) == 1
