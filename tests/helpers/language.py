"""Counts of house style over source files: docstrings, parameters and modules.

Run on some files or folders: python -m tests.helpers.language src/r5/agent
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

__all__ = [
    "crowded_packages",
    "docstrings",
    "long_files",
    "long_signatures",
    "private_words",
    "question_docstrings",
    "skipped_formatting",
    "unchecked_tests",
]

QUESTION_WORDS = ("what", "how", "where", "whether", "which", "who", "why", "when", "so many", "so much", "as many")
MOST_PARAMETERS = 8
MOST_MODULES = 14
MOST_LINES = 400
PRIVATE_WORDS = {
    "clarity": "ambiguity",
    "crowd": "hub",
    "desk": "scratch",
    "heat": "temperature",
    "honest": "calibrated",
    "premise": "body",
    "rivals": "exclusions",
    "room": "capacity or scratch",
    "shelf": "buffer",
    "stranger": "unknown",
    "stretch": "span",
    "tally": "counts",
    "unlike": "different",
}
"""Words that the field does not use, and the words to use."""
NOT_PRIVATE = ("heat map", "unlike the", "in queries unlike", "decompressed stream; unlike")
"""Ordinary uses of these words."""
CHECKS = ("raises", "warns", "fail", "assert", "check", "expect", "wait_for")
"""Beginnings of functions that can fail a test."""
Place = tuple[Path, int, str]
"""File, line and text."""


@cache
def _tree(file: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(file.read_text(encoding="utf-8"))


def source_files(places: Iterable[Path]) -> list[Path]:
    """Return the Python files among files and folders."""
    return sorted({file for place in places for file in (place.rglob("*.py") if place.is_dir() else [place])})


def docstrings(file: Path) -> Iterator[Place]:
    """Yield docstrings of modules, classes, functions and attributes."""
    for node in ast.walk(_tree(file)):
        for one in getattr(node, "body", []) if isinstance(getattr(node, "body", None), list) else []:
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str):
                yield file, one.lineno, one.value.value.strip()


def question_docstrings(file: Path) -> Iterator[Place]:
    """Yield docstrings that begin with a question word."""
    for place in docstrings(file):
        words = place[2].lstrip("`.… ").lower()
        if any(words.startswith((f"{one} ", f"{one},")) for one in QUESTION_WORDS):
            yield place


def long_signatures(file: Path) -> Iterator[Place]:
    """Yield functions with too many positional parameters, `self` and `cls` not counted."""
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = [one.arg for one in (*node.args.posonlyargs, *node.args.args) if one.arg not in ("self", "cls")]
            if len(names) > MOST_PARAMETERS:
                yield file, node.lineno, f"{node.name} takes {len(names)}"


def skipped_formatting(file: Path) -> Iterator[Place]:
    """Yield lines that the formatter skips."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if "# fmt:" in line:
            yield file, number, line.strip()


def crowded_packages(root: Path) -> Iterator[tuple[Path, int]]:
    """Yield packages with too many modules, those of sub-packages not counted."""
    for folder in sorted({file.parent for file in source_files([root])}):
        size = sum(one.name != "__init__.py" for one in folder.glob("*.py"))
        if size > MOST_MODULES:
            yield folder, size


def long_files(files: Iterable[Path]) -> Iterator[tuple[Path, int]]:
    """Yield files with too many lines."""
    for file in files:
        size = len(file.read_text(encoding="utf-8").splitlines())
        if size > MOST_LINES:
            yield file, size


def private_words(file: Path) -> Iterator[Place]:
    """Yield names and docstrings with a word that the field does not use."""
    texts = list(docstrings(file))
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            texts.append((file, node.lineno, node.name))
        elif isinstance(node, ast.arg):
            texts.append((file, node.lineno, node.arg))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            texts.append((file, node.lineno, node.id))
    for _, line, text in texts:
        plain = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", text).lower()
        for ordinary in NOT_PRIVATE:
            plain = plain.replace(ordinary, "")
        for word in set(re.findall("[a-z]+", plain)) & PRIVATE_WORDS.keys():
            yield file, line, f"{word}: write {PRIVATE_WORDS[word]}"


def unchecked_tests(file: Path) -> Iterator[Place]:
    """Yield tests that neither assert nor expect an error, and call no helper of their file that does."""
    tree = _tree(file)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    helpers = {one.name for one in functions if _can_fail(one, frozenset())}
    for one in functions:
        if one.name.startswith("test_") and not _can_fail(one, frozenset(helpers)):
            yield file, one.lineno, one.name


def _can_fail(function: ast.FunctionDef, helpers: frozenset[str]) -> bool:
    """Return whether a function asserts, or calls a function that checks or is one of these helpers."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name.startswith(CHECKS) or name in helpers:
                return True
    return False


def main(arguments: list[str]) -> None:
    """Print every finding and the totals."""
    places = [Path(one) for one in arguments] or [Path("src/r5")]
    files = source_files(places)
    total = sum(1 for file in files for _ in docstrings(file))
    for name, check in (
        ("question word", question_docstrings),
        ("parameters", long_signatures),
        ("formatting", skipped_formatting),
        ("word", private_words),
    ):
        found = [place for file in files for place in check(file)]
        for file, line, text in found:
            print(f"{file}:{line}: {name}: {text.splitlines()[0][:100]}")
        print(f"{name}: {len(found)} (of {total} docstrings)" if name == "question word" else f"{name}: {len(found)}")
    for folder in (place for place in places if place.is_dir()):
        for package, size in crowded_packages(folder):
            print(f"{package}: {size} modules")


if __name__ == "__main__":
    main(sys.argv[1:])
