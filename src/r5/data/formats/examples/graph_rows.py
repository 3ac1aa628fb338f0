"""Many small graphs of one's own: JSON lines of a graph and a query each.

    {"edges": [["Ann", "mother", "Eve"], ["Eve", "sister", "Zoe"]], "query": ["Ann", "Zoe"], "answer": "aunt"}

Edges are [source, relation, target]. Nodes are names or numbers. Rows without an answer, or with null, serve for
prediction. A table with one edge per row is read by `graph_table`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from r5._util.files.compression import strip_compression_suffix
from r5._util.files.reading import list_files, parse_json, read_lines
from r5._util.text import abbreviate
from r5.data.builder import DatasetBuilder, Row
from r5.data.formats.examples.graph_table import is_graph_table, read_graph_table
from r5.data.formats.split_files import SPLIT_OF
from r5.data.formats.tables.json_rows import first_value
from r5.dataset import SPLITS, Dataset
from r5.errors import DataError, R5Error

__all__ = ["edges_are_swapped", "is_graphs", "is_own_row", "load_graphs"]

_JSON_SUFFIXES = (".jsonl", ".ndjson")
_KEYS = ("edges", "query", "answer", "split")
_GRAPHLOG_KEYS = ("target", "descriptor", "resolution_path", "rules", "rules_used", "entities")
"""Keys that rows of GraphLog have and rows of this format have not."""


def is_graphs(path: Path) -> bool:
    """Return whether a path is a file of small graphs, or a folder with such files for the splits."""
    if path.is_dir():
        return any(is_graphs(file) for file in _split_files(path))
    if strip_compression_suffix(path).suffix.lower() in _JSON_SUFFIXES:
        return is_own_row(first_value(path))
    return is_graph_table(path)


def is_own_row(value: object) -> bool:
    """Return whether a JSON value is a row of this format and not of GraphLog.

    >>> is_own_row({"edges": [], "query": ["a", "b"]}), is_own_row({"edges": [], "query": [0, 1, "R_1"]})
    (True, False)
    """
    if not isinstance(value, dict) or not {"edges", "query"} <= value.keys():
        return False
    if "answer" in value or isinstance(value["query"], dict):
        return True
    query = value["query"]
    return isinstance(query, list) and len(query) == 2 and value.keys().isdisjoint(_GRAPHLOG_KEYS)


def _split_files(folder: Path) -> list[Path]:
    """Return the files of a folder that are named after splits."""
    order = list(SPLIT_OF)
    named = [(strip_compression_suffix(file).stem.lower(), file) for file in list_files(folder, "*")]
    return [file for _, file in sorted((order.index(stem), file) for stem, file in named if stem in SPLIT_OF)]


@dataclass
class _Counts:
    """Numbers of rows of one file."""

    rows: int = 0
    unlabelled: int = 0


def load_graphs(path: str | Path, *, split: str | None = None) -> Dataset:
    """Load a file of small graphs, or a folder of such files named train, valid and test.

    Rows of a file of another name belong to the split that their key or column `split` names; else those with an
    answer are training examples, and those without are test examples.

    Args:
        path: JSON lines (.jsonl, .ndjson), a table (.csv, .tsv, .txt) or a folder.
        split: Split of all rows of a file: `train`, `valid` or `test`.

    Raises:
        DataError: A file is invalid; the message names the line.
    """
    path = Path(path)
    if split is not None and split not in SPLITS:
        raise R5Error(f"split must be train, valid or test, not {split!r}")
    files = [file for file in _split_files(path) if is_graphs(file)] if path.is_dir() else [path]
    builder = DatasetBuilder(path.resolve().name if path.is_dir() else strip_compression_suffix(path).stem)
    used: dict[str, str] = {}
    parts = []
    for file in files:
        named = SPLIT_OF.get(strip_compression_suffix(file).stem.lower())
        if path.is_dir() and named in used:
            raise DataError(f"duplicated split: {used[named]} and {file.name} are both {named}", path)
        if named is not None:
            used[named] = file.name
        parts.append(_add_file(builder, file, split or named))
    return replace(builder.build(), source="; ".join(parts))


def _add_file(builder: DatasetBuilder, path: Path, split: str | None) -> str:
    """Add the rows of a file and describe how they were read; errors name the line."""
    counts = _Counts()
    is_json = strip_compression_suffix(path).suffix.lower() in _JSON_SUFFIXES
    for line, named, row in _json_rows(path) if is_json else read_graph_table(path):
        try:
            builder.add(split or named or ("train" if row.answer is not None else "test"), row)
        except R5Error as error:
            raise DataError(f"{error}{_hint(row)}", path, line) from None
        counts.rows += 1
        counts.unlabelled += row.answer is None
    kind = "JSON lines, edges as [source, relation, target]" if is_json else "a row per edge or query"
    without = f", {counts.unlabelled:,} without an answer" if counts.unlabelled else ""
    return f"{path.name}: {counts.rows:,} graph{'s' * (counts.rows != 1)} with a query{without} ({kind})"


def _hint(row: Row) -> str:
    """Return a hint if the edges fit the query only in GraphLog's order."""
    if edges_are_swapped(row.edges, (row.source, row.target)):
        return "; the edges look like [source, target, relation], expected [source, relation, target]"
    return ""


def edges_are_swapped(edges: Sequence[tuple[str, str, str]], query: Sequence[str]) -> bool:
    """Return whether both ends of a query are nodes only if the second and third part of the edges are swapped.

    >>> edges_are_swapped([("Ann", "Eve", "mother")], ("Ann", "Eve"))
    True
    """
    nodes = {name for source, _, target in edges for name in (source, target)}
    swapped = {name for source, relation, _ in edges for name in (source, relation)}
    return not nodes.issuperset(query) and swapped.issuperset(query)


def _json_rows(path: Path) -> Iterator[tuple[int, str | None, Row]]:
    """Yield line, split and row of JSON lines."""
    for line, text in read_lines(path):
        value = parse_json(text, path, line)
        try:
            yield line, _split(value), _row(value)
        except R5Error as error:
            raise DataError(str(error), path, line) from None


def _split(value: Any) -> str | None:
    """Return the split that a row names, if any."""
    split = value.get("split") if isinstance(value, dict) else None
    if split is not None and not (isinstance(split, str) and split in SPLIT_OF):
        raise R5Error(f"split must be train, valid or test, found {abbreviate(split)}")
    return None if split is None else SPLIT_OF[split]


def _row(value: Any) -> Row:
    """Convert a JSON value to an example."""
    if not isinstance(value, dict) or not {"edges", "query"} <= value.keys():
        raise R5Error(f"expected an object with {', '.join(_KEYS[:2])} and perhaps answer, found {abbreviate(value)}")
    if others := [key for key in value if key in _GRAPHLOG_KEYS]:
        raise R5Error(f"unexpected key {others[0]!r}, as of GraphLog, whose edges are [source, target, relation]")
    query = value["query"]
    ends = [query.get("source"), query.get("target")] if isinstance(query, dict) else query
    if not isinstance(ends, list) or len(ends) != 2:
        raise R5Error(f"query must be [source, target], found {abbreviate(query)}")
    answer = value.get("answer")
    if answer is not None and not isinstance(answer, str):
        raise R5Error(f"answer must be a relation or null, found {abbreviate(answer)}")
    edges = _edges(value["edges"])
    source, target = map(_node, ends)
    _check_order(edges)
    return Row(edges, source, target, answer)


def _edges(value: Any) -> list[tuple[str, str, str]]:
    """Check and convert the edges."""
    if not isinstance(value, list):
        raise R5Error(f"edges must be a list of [source, relation, target], found {abbreviate(value)}")
    edges = []
    for edge in value:
        if not isinstance(edge, list) or len(edge) != 3:
            raise R5Error(f"an edge must be [source, relation, target], found {abbreviate(edge)}")
        source, relation, target = edge
        if type(relation) is not str:
            order = " (this one looks like [source, target, relation])" if type(target) is str else ""
            raise R5Error(f"an edge must be [source, relation, target]{order}, found {abbreviate(edge)}")
        edges.append((_node(source), relation, _node(target)))
    return edges


def _node(value: Any) -> str:
    """Return the name of a node given by number or by name."""
    if type(value) is int or type(value) is str:
        return str(value)
    raise R5Error(f"a node must be a number or a name, found {abbreviate(value)}")


def _check_order(edges: Sequence[tuple[str, str, str]]) -> None:
    """Raise an error if the edges form paths only in GraphLog's order."""
    sources, middles, ends = (set(column) for column in zip(*edges, strict=True)) if edges else (set(), set(), set())
    if sources.isdisjoint(ends) and not sources.isdisjoint(middles):
        raise R5Error(
            f"the edges look like [source, target, relation], expected [source, relation, target]: "
            f"{abbreviate(list(edges[0]))}"
        )
