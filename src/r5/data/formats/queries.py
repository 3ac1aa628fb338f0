"""Files of queries: rows of head, relation and tail, with a question mark for each wanted part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from r5._util.files.reading import read_table, read_text
from r5.data.formats.tables.columns import column_roles
from r5.errors import DataError, R5Error
from r5.graph import Graph

__all__ = ["Query", "check_query", "read_queries"]

Query = tuple[str | None, str | None, str | None]
"""Head, relation and tail; None for each wanted part."""


def read_queries(path: str | Path, graph: Graph) -> list[Query]:
    """Read the queries of a file.

    Args:
        path: The file.
        graph: The graph whose names the queries must use.

    Raises:
        DataError: A line cannot be read or uses an unknown name; the error names the line.
    """
    rows = _rows(Path(path))
    if rows and len(rows[0][1]) == 3 and column_roles(rows[0][1]) == (0, 1, 2) and len(rows[0][1][0]) > 1:
        rows = rows[1:]
    queries = []
    for line, fields in rows:
        if len(fields) != 3:
            raise DataError(
                f"expected head, relation, tail with ? for the wanted part, found {len(fields)} fields", path, line
            )
        head, relation, tail = (None if field.strip() in ("", "?") else field.strip() for field in fields)
        try:
            check_query(graph, head, relation, tail)
        except R5Error as error:
            raise DataError(str(error), path, line) from None
        queries.append((head, relation, tail))
    if not queries:
        raise DataError("holds no queries", path)
    return queries


def _rows(path: Path) -> Sequence[tuple[int, list[str]]]:
    """Return the rows, with tabs or, where there are none, commas between the fields."""
    text = read_text(path)
    if "\t" not in text:
        return read_table(path)
    lines = enumerate(text.split("\n"), start=1)
    return [(number, line.split("\t")) for number, line in lines if line.strip()]


def check_query(graph: Graph, head: str | None, relation: str | None, tail: str | None) -> None:
    """Raise an error if neither end is given or a name is unknown; similar names are suggested."""
    if head is None and tail is None:
        raise R5Error("give the head of a fact, its tail, or both; --new N searches all facts of a relation")
    for name in (head, tail):
        if name is not None:
            graph.node(name)
    if relation is not None:
        graph.vocabulary.id(relation)
