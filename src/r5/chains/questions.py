"""Questions in a file: rows of head, relation and tail, with a question mark for what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from r5._util.files.reading import read_table, read_text
from r5.data.formats.tabular import column_roles
from r5.errors import DataError, R5Error
from r5.graph import Graph

__all__ = ["Question", "check_question", "read_questions"]

Question = tuple[str | None, str | None, str | None]
"""Head, relation and tail; None for what is asked: an end, an end and the relation, the relation, or nothing."""


def read_questions(path: str | Path, graph: Graph) -> list[Question]:
    """The questions of a file, each checked: what is wrong with one is told with its line before any is answered."""
    rows = _rows(Path(path))
    if rows and len(rows[0][1]) == 3 and column_roles(rows[0][1]) == (0, 1, 2) and len(rows[0][1][0]) > 1:
        rows = rows[1:]
    questions = []
    for line, fields in rows:
        if len(fields) != 3:
            raise DataError(
                f"expected head, relation, tail with ? for what is asked, found {len(fields)} fields", path, line
            )
        head, relation, tail = (None if field.strip() in ("", "?") else field.strip() for field in fields)
        try:
            check_question(graph, head, relation, tail)
        except R5Error as error:
            raise DataError(str(error), path, line) from None
        questions.append((head, relation, tail))
    if not questions:
        raise DataError("holds no questions", path)
    return questions


def _rows(path: Path) -> Sequence[tuple[int, list[str]]]:
    """Rows with tabs or, where there are none, commas between the fields."""
    text = read_text(path)
    if "\t" not in text:
        return read_table(path)
    lines = enumerate(text.split("\n"), start=1)
    return [(number, line.split("\t")) for number, line in lines if line.strip()]


def check_question(graph: Graph, head: str | None, relation: str | None, tail: str | None) -> None:
    """Raise an error where neither end is given, or where a name is not known; similar names are suggested."""
    if head is None and tail is None:
        raise R5Error("give the head of a fact, its tail, or both")
    for name in (head, tail):
        if name is not None:
            graph.node(name)
    if relation is not None:
        graph.vocabulary.id(relation)
