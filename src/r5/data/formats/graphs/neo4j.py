"""Exports of Neo4j: CSV files of neo4j-admin, CSV files of APOC, and JSON lines of APOC.

neo4j-admin has files of nodes, with a column `:ID`, and files of relationships, with columns `:START_ID`, `:END_ID` and
`:TYPE`; the header may be in a file of its own, such as `roles-header.csv` beside `roles.csv`. APOC's CSV has both in
one file, with columns `_id`, `_start`, `_end` and `_type`. Nodes have the name of one of their properties.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from r5._util.files.compression import open_bytes, strip_compression_suffix
from r5._util.files.reading import list_files, read_text
from r5._util.text import abbreviate
from r5.data.formats.tables.columns import Triple
from r5.data.formats.tables.json_rows import first_value, json_values
from r5.data.formats.tables.table import Table
from r5.errors import DataError, R5Error

__all__ = ["is_neo4j", "read_neo4j"]

NAMES = ("name", "title", "label", "id")
"""Properties that name a node, in order of preference."""
_FIELD = re.compile(r"(?P<name>[^:]*):(?P<role>ID|START_ID|END_ID|TYPE|LABEL|IGNORE)(?:\((?P<space>[^)]*)\))?.*")
_HEADER_STEM = re.compile(r"(.+?)[-_.]?headers?", re.IGNORECASE)


@dataclass
class _Export:
    """Nodes and relationships found so far."""

    names: str | None
    triples: list[Triple] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    properties: dict[str, None] = field(default_factory=dict)
    named_by: dict[str, None] = field(default_factory=dict)
    edge_properties: dict[str, None] = field(default_factory=dict)

    def add_node(self, key: str, properties: Mapping[str, Any]) -> None:
        """Add a node."""
        self.properties.update(dict.fromkeys(properties))
        for name in NAMES if self.names is None else (self.names,):
            value = properties.get(name)
            if value is not None and not isinstance(value, list | dict) and str(value).strip():
                self.labels[key] = str(value).strip()
                self.named_by[name] = None
                return

    def table(self, kind: str) -> Table:
        """Return the triples, with labels."""
        if not self.triples:
            raise R5Error("holds no relationships")
        if self.names is not None and self.names not in self.properties:
            some = ", ".join(islice(self.properties, 8)) or "none"
            raise R5Error(f"no node has the property {self.names!r}; the properties are {some}")
        others = [name for name in (*self.properties, *self.edge_properties) if name not in self.named_by]
        others = list(dict.fromkeys(others))
        listed = ", ".join(others[:8]) + (f" and {len(others) - 8} more" if len(others) > 8 else "")
        by = f"nodes named by {', '.join(self.named_by)}" if self.named_by else "nodes named by their ids"
        dropped = (f"propert{'ies' if len(others) > 1 else 'y'} {listed}",) if others else ()
        return Table(self.triples, f"{kind}, {by}", dropped, labels=self.labels)


def is_neo4j(path: Path) -> bool:
    """Return whether a path is an export of Neo4j: a file, or a folder with a file of relationships."""
    if path.is_dir():
        return any(_is_relationships(_first_line(file)) for file in list_files(path, "*.csv*"))
    suffix = strip_compression_suffix(path).suffix.lower()
    if suffix in (".csv", ".tsv", ".txt"):
        return _is_relationships(_first_line(path))
    return suffix in (".json", ".jsonl", ".ndjson") and _is_apoc(first_value(path))


def read_neo4j(path: str | Path, *, names: str | None = None) -> Table:
    """Read the relationships of an export, with the labels of their nodes.

    Args:
        path: A file, or a folder of the CSV files of neo4j-admin.
        names: Property that names the nodes; by default the first of name, title, label and id that a node has.

    Raises:
        DataError: A file is invalid, or there are no relationships.
    """
    path = Path(path)
    export = _Export(names)
    try:
        if path.is_dir():
            _read_folder(path, export)
            return export.table("Neo4j CSV")
        if strip_compression_suffix(path).suffix.lower() in (".json", ".jsonl", ".ndjson"):
            _read_json(path, export)
            return export.table("Neo4j JSON")
        _read_csv(path, export)
        return export.table("Neo4j CSV")
    except DataError:
        raise
    except R5Error as error:
        raise DataError(str(error), path) from None


def _first_line(path: Path) -> str:
    """Return the start of the first line of a file; empty if it cannot be read."""
    try:
        with open_bytes(path) as stream:
            return stream.readline(10_000).decode("utf-8-sig", "replace").strip()
    except R5Error:
        return ""


def _is_relationships(line: str) -> bool:
    """Return whether a line is the header of relationships."""
    fields = re.split(r'[,;|\t"]+', line)
    return any(":START_ID" in name for name in fields) or {"_start", "_end", "_type"} <= set(fields)


def _read_folder(folder: Path, export: _Export) -> None:
    """Read all CSV files of a folder, headers in files of their own with the file they belong to."""
    files = list_files(folder, "*.csv*")
    headers = {match[1].lower(): file for file in files if (match := _HEADER_STEM.fullmatch(_stem(file)))}
    for file in files:
        if file in headers.values():
            continue
        stem = _stem(file).lower()
        parts = [
            name for name in headers if stem == name or re.fullmatch(rf"{re.escape(name)}[-_.]?(part)?[-_.]?\d+", stem)
        ]
        _read_csv(file, export, headers[max(parts, key=len)] if parts else None)


def _stem(file: Path) -> str:
    return strip_compression_suffix(file).stem


def _read_csv(path: Path, export: _Export, header: Path | None = None) -> None:
    """Read one file of nodes, of relationships, or of both."""
    rows = _rows(path)
    if header is not None:
        first = [fields for _, fields in _rows(header)]
        names = first[0] if first else []
    else:
        line, names = next(rows, (1, []))
    columns = _Columns.of(names)
    if columns is None:
        raise DataError(
            f"has no columns :ID, or :START_ID, :END_ID and :TYPE, but {abbreviate(', '.join(names))}", path
        )
    for line, fields in rows:
        if len(fields) != len(names):
            raise DataError(f"{len(fields)} columns where {len(names)} were expected", path, line)
        columns.add(fields, export, path, line)


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the non-blank rows of a file with their line numbers."""
    text = read_text(path)
    first = text.partition("\n")[0]
    delimiter = max(",;|\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for fields in reader:
            if any(fields):
                yield line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"is not valid CSV: {error}", path, line) from None


@dataclass(frozen=True)
class _Columns:
    """Indices of the columns of a file."""

    key: int | None
    start: int | None
    end: int | None
    type: int | None
    properties: Mapping[str, int]
    spaces: Mapping[str, str]
    """ID space by role; a node is known by its identifier and its space."""

    @classmethod
    def of(cls, names: Sequence[str]) -> _Columns | None:
        """Find the columns of a header; None if it is neither of nodes nor of relationships."""
        apoc = {"_id": "ID", "_start": "START_ID", "_end": "END_ID", "_type": "TYPE", "_labels": "LABEL"}
        is_apoc = "_start" in names or "_id" in names
        found: dict[str, int] = {}
        spaces: dict[str, str] = {}
        properties: dict[str, int] = {}
        for index, name in enumerate(names):
            match = _FIELD.fullmatch(name.strip())
            role = apoc.get(name) if is_apoc else match["role"] if match else None
            if role is not None:
                found.setdefault(role, index)
                spaces[role] = (match["space"] or "") if match else ""
            if match and match["name"]:
                properties[match["name"]] = index
            elif role is None:
                properties[name.partition(":")[0]] = index
        if "ID" not in found and not {"START_ID", "END_ID", "TYPE"} <= found.keys():
            return None
        return cls(found.get("ID"), found.get("START_ID"), found.get("END_ID"), found.get("TYPE"), properties, spaces)

    def add(self, fields: Sequence[str], export: _Export, path: Path, line: int) -> None:
        """Add the node or the relationship of a row."""
        if self.key is not None and fields[self.key]:
            properties = {name: fields[index] for name, index in self.properties.items() if fields[index]}
            export.add_node(self._identifier(fields[self.key], "ID"), properties)
            return
        if self.start is None or self.end is None or self.type is None:
            raise DataError("the :ID is missing", path, line)
        parts = {":START_ID": fields[self.start], ":TYPE": fields[self.type], ":END_ID": fields[self.end]}
        missing = [name for name, value in parts.items() if not value]
        if missing:
            raise DataError(f"the {missing[0]} is missing", path, line)
        export.edge_properties.update(dict.fromkeys(self.properties))
        start = self._identifier(fields[self.start], "START_ID")
        export.triples.append((start, fields[self.type], self._identifier(fields[self.end], "END_ID")))

    def _identifier(self, value: str, role: str) -> str:
        """Return an identifier with its space, which keeps nodes of different spaces apart."""
        space = self.spaces.get(role, "")
        return f"{space}:{value}" if space else value


def _is_apoc(value: object) -> bool:
    """Return whether a JSON value is a node or a relationship of APOC."""
    if not isinstance(value, dict):
        return False
    return (value.get("type") == "node" and "id" in value) or (
        value.get("type") == "relationship" and {"label", "start", "end"} <= value.keys()
    )


def _read_json(path: Path, export: _Export) -> None:
    """Read the nodes and relationships of APOC's JSON."""
    for line, value in json_values(path):
        if not _is_apoc(value):
            raise DataError(f"expected a node or a relationship of APOC, found {abbreviate(value)}", path, line)
        if value["type"] == "node":
            export.add_node(str(value["id"]), _properties(value, path, line))
            continue
        ends = [_end(value[name], export, path, line) for name in ("start", "end")]
        if not isinstance(value["label"], str) or not value["label"]:
            raise DataError(
                f"the label of a relationship must be a name, found {abbreviate(value['label'])}", path, line
            )
        export.edge_properties.update(dict.fromkeys(_properties(value, path, line)))
        export.triples.append((ends[0], value["label"], ends[1]))


def _properties(value: Mapping[str, Any], path: Path, line: int) -> Mapping[str, Any]:
    """Return the properties of a node."""
    found = value.get("properties") or {}
    if not isinstance(found, dict):
        raise DataError(f"properties must be an object, found {abbreviate(found)}", path, line)
    return found


def _end(value: Any, export: _Export, path: Path, line: int) -> str:
    """Return the identifier of an end of a relationship, whose properties may name it."""
    if not isinstance(value, dict) or not str(value.get("id", "")):
        raise DataError(f"an end of a relationship must have an id, found {abbreviate(value)}", path, line)
    key = str(value["id"])
    if key not in export.labels and value.get("properties"):
        export.add_node(key, _properties(value, path, line))
    return key
