"""The tree of tests mirrors the tree of sources."""

from __future__ import annotations

from pathlib import Path

import r5

TESTS = Path(__file__).resolve().parents[1]
SOURCES = Path(r5.__file__).parent
SHARED = tuple(map(Path, ("contracts", "helpers", "oracle", "serve/browser")))
"""Folders without a twin: tests of many modules, shared helpers, slow twins of kernels, and tests of the explorer in a
browser, which are named after behaviour."""
FILES = sorted(
    path.relative_to(TESTS) for path in TESTS.rglob("*.py") if path.name not in ("__init__.py", "conftest.py")
)
MIRRORS = [path for path in FILES if not any(path.is_relative_to(folder) for folder in SHARED)]


def test_test_files_are_named_after_a_module_or_package() -> None:
    assert [path for path in MIRRORS if not path.name.startswith("test_")] == [], "helpers belong to tests/helpers"
    tested = {path: SOURCES / path.parent / path.stem.removeprefix("test_") for path in MIRRORS}
    assert [path for path, one in tested.items() if not (one.with_suffix(".py").is_file() or one.is_dir())] == []


def test_helpers_have_no_tests() -> None:
    assert [path for path in FILES if path.parts[0] in ("helpers", "oracle") and path.name.startswith("test_")] == []


def test_the_mark_same_everywhere_is_used_in_contracts_only() -> None:
    """`make same` searches the mark in this folder only."""
    mark = "mark.same_" + "everywhere"
    marked = [path for path in FILES if mark in (TESTS / path).read_text(encoding="utf-8")]
    assert marked and {path.parts[0] for path in marked} == {"contracts"}
