"""Many small graphs in one table: a row per edge or query, and a column that names the graph.

    graph,source,relation,target,query
    1,Ann,mother,Eve,
    1,Eve,sister,Zoe,
    1,Ann,aunt,Zoe,yes
    2,Tom,,Ida,yes

A row whose column `query` says yes is a query about its graph; its relation is the answer, and may be empty. A graph
may have several queries. A column `split` is optional.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from r5._util.files.compression import open_bytes, strip_compression_suffix
from r5._util.text import abbreviate
from r5.data.builder import Row
from r5.data.formats.split_files import SPLIT_OF
from r5.data.formats.tables.columns import ROLES, plain_column
from r5.data.formats.tables.delimited import DELIMITERS, read_records
from r5.errors import DataError, R5Error

__all__ = ["is_graph_table", "read_graph_table"]

_SUFFIXES = (".csv", ".tsv", ".txt")
_GRAPH = {"graph", "graph_number", "example"}
_YES, _NO = {"yes", "true", "1", "y", "query"}, {"no", "false", "0", "n", ""}


def is_graph_table(path: Path) -> bool:
    """Return whether a path is a table whose header has columns for the graph, its triples and the queries."""
    if strip_compression_suffix(path).suffix.lower() not in _SUFFIXES:
        return False
    try:
        with open_bytes(path) as stream:
            first = stream.readline(10_000).decode("utf-8-sig", "replace").strip()
    except (R5Error, OSError):
        return False
    names = [name.strip(' "') for name in first.split(_delimiter(first))]
    return _find_columns(names) is not None


def _delimiter(line: str) -> str:
    """Return the delimiter of a header."""
    return max((mark for mark in DELIMITERS if mark != " "), key=line.count)


def _find_columns(names: Sequence[str]) -> list[int] | None:
    """Return the columns of graph, source, relation, target and query; None if one of them is not there once."""
    indices = []
    for role in (_GRAPH, *ROLES.values(), {"query"}):
        found = [place for place, name in enumerate(names) if plain_column(name) in role]
        if len(found) != 1:
            return None
        indices += found
    return indices


def read_graph_table(path: Path) -> Iterator[tuple[int, str | None, Row]]:
    """Yield line, split and example of each query of a table, in order.

    Raises:
        DataError: The table is invalid; the message names the line.
    """
    with open_bytes(path) as stream:
        delimiter = _delimiter(stream.readline(10_000).decode("utf-8-sig", "replace"))
    (line, names), *rows = read_records(path, delimiter)
    columns = _find_columns(names)
    if columns is None:
        raise DataError(
            f"expected columns graph, source, relation, target, query; found {', '.join(names)}", path, line
        )
    split_column = next((place for place, name in enumerate(names) if plain_column(name) == "split"), None)
    edges: dict[str, list[tuple[str, str, str]]] = {}
    queries = []
    for line, fields in rows:
        if len(fields) != len(names):
            raise DataError(f"{len(fields)} columns where {len(names)} were expected", path, line)
        graph, source, relation, target, marked = (fields[place] for place in columns)
        if marked.lower() not in _YES | _NO:
            raise DataError(f"the column query must say yes or nothing, found {abbreviate(marked)}", path, line)
        missing = [role for role, name in (("graph", graph), ("source", source), ("target", target)) if not name]
        if missing or (not relation and marked.lower() in _NO):
            raise DataError(f"the {missing[0] if missing else 'relation'} is missing", path, line)
        if marked.lower() in _NO:
            edges.setdefault(graph, []).append((source, relation, target))
            continue
        split = fields[split_column].lower() if split_column is not None else ""
        if split and split not in SPLIT_OF:
            raise DataError(f"split must be train, valid or test, found {abbreviate(split)}", path, line)
        queries.append((line, SPLIT_OF.get(split), graph, source, target, relation or None))
    if not queries:
        raise DataError("has no queries: no row says yes in the column query", path)
    for line, named, graph, source, target, answer in queries:
        yield line, named, Row(edges.get(graph, []), source, target, answer)
