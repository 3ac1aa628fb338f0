"""JSON and JSON lines of triples: objects such as {"head", "relation", "tail"}, or lists of three."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from r5._util.files.compression import open_bytes, strip_compression_suffix
from r5._util.files.reading import parse_json, read_lines, read_text
from r5._util.text import abbreviate
from r5.data.formats.tables.columns import ROLES, choose_columns, column_roles
from r5.data.formats.tables.rows import named_triples
from r5.data.formats.tables.table import Table, describe_columns, unused_columns
from r5.errors import DataError, R5Error

__all__ = ["JSON_SUFFIXES", "first_value", "json_values", "read_json", "table_of_objects"]

JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")


def json_values(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a JSON list, or of JSON lines, with their line numbers; rows of a list are counted from 1."""
    if strip_compression_suffix(path).suffix.lower() != ".json":
        for line, text in read_lines(path):
            yield line, parse_json(text, path, line)
        return
    text = read_text(path)
    first, _, rest = text.lstrip().partition("\n")
    if rest.strip() and first.rstrip().endswith("}") and _is_json(first):  # JSON lines in a file called .json
        for line, row in enumerate(text.split("\n"), start=1):
            if row.strip():
                yield line, parse_json(row, path, line)
        return
    value = parse_json(text, path)
    value = [value] if isinstance(value, dict) else value  # JSON lines with one line
    if not isinstance(value, list):
        raise DataError(f"expected a list of triples, found {abbreviate(value)}", path)
    yield from enumerate(value, start=1)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def first_value(path: Path) -> Any:
    """Return the first row of a file of JSON, or None if it cannot be read; of JSON lines only that line is read."""
    try:
        if strip_compression_suffix(path).suffix.lower() == ".json":
            return next(json_values(path), (0, None))[1]
        with open_bytes(path) as stream:
            line = next((line for line in stream if line.strip()), b"")
        return json.loads(line.decode("utf-8-sig"))
    except (R5Error, OSError, ValueError, RecursionError):
        return None


def read_json(path: str | Path, columns: Sequence[str | int] | None = None) -> Table:
    """Read the triples of a JSON file.

    Args:
        path: A list in a .json file, or one row per line (.jsonl, .ndjson).
        columns: Keys of source, relation and target; by default common names.

    Raises:
        DataError: The file is invalid; the message names the row.
    """
    path = Path(path)
    values = (value for _, value in json_values(path))
    try:
        table = table_of_objects(values, columns, "JSON")
    except DataError:
        raise
    except R5Error as error:
        raise DataError(str(error), path) from None
    if not table.triples:
        raise DataError("holds no triples", path)
    return table


def table_of_objects(values: Iterable[Any], columns: Sequence[str | int] | None = None, kind: str = "list") -> Table:
    """Convert objects with keys such as head, relation and tail, or lists of three, to a table.

    Args:
        values: The rows.
        columns: Keys of source, relation and target; by default common names.
        kind: Description of the source.

    Raises:
        R5Error: A row is invalid; the message has its number.

    >>> table_of_objects([{"head": "Ann", "tail": "Eve", "relation": "mother"}, ["Eve", "brother", "Tom"]]).triples
    [('Ann', 'mother', 'Eve'), ('Eve', 'brother', 'Tom')]
    """
    chosen: dict[tuple[str, ...], Callable[[Any], tuple[Any, ...]]] = {}
    layouts: dict[str, None] = {}
    unused: dict[str, None] = {}

    def parts(row: int, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        keys = tuple(value)
        if keys not in chosen:
            try:
                indices = _choose(keys, columns)
            except R5Error as error:
                raise R5Error(f"row {row} (counted from 1): {error}") from None
            chosen[keys] = itemgetter(*(keys[index] for index in indices))
            layouts[describe_columns(keys, indices)] = None
            unused.update(dict.fromkeys(key for index, key in enumerate(keys) if index not in indices))
        return chosen[keys](value)

    triples = named_triples(parts(row, value) for row, value in enumerate(values, start=1))
    layout = ", ".join([kind, *(list(layouts)[:1] if len(layouts) < 2 else [f"{len(layouts)} sets of keys"])])
    return Table(triples, layout, unused_columns(list(unused), ()))


def _choose(keys: Sequence[str], columns: Sequence[str | int] | None) -> tuple[int, int, int]:
    """Choose the keys of a triple; an object has no order, so that they must have common names or be given."""
    if columns is None and column_roles(keys) is None:
        raise R5Error(
            f"expected keys such as {', '.join(ROLES)}, found {abbreviate(', '.join(map(str, keys)))}; "
            "columns=[source, relation, target] names them"
        )
    return choose_columns(keys, columns)
