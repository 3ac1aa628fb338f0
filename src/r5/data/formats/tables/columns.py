"""Columns of a triple: common names, and the choice among the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence

from r5._util.text import abbreviate
from r5.errors import R5Error

__all__ = ["ROLES", "Triple", "check_columns", "choose_columns", "column_roles", "plain_column"]

Triple = tuple[str, str, str]
"""(source, relation, target), by name."""

ROLES = {
    "source": {"head", "source", "src", "subject", "subj", "from", "start", "h", "s"},
    "relation": {"relation", "rel", "relationship", "predicate", "pred", "edge", "label", "type", "property", "r", "p"},
    "target": {"tail", "target", "dst", "dest", "destination", "object", "obj", "to", "end", "t", "o"},
}
"""Column names of a triple's parts in files and frames, without `SUFFIXES`."""
SUFFIXES = ("_id", "_name", "_label", "_type", "_node", "_entity")
"""Optional endings of column names."""


def column_roles(names: Sequence[object]) -> tuple[int, int, int] | None:
    """Find the columns of a triple by their names.

    Args:
        names: Column names.

    Returns:
        Indices of source, relation and target; None if the names are ambiguous.

    >>> column_roles(["weight", "head", "tail", "edge_type"])
    (1, 3, 2)

    """
    indices = []
    for role in ROLES.values():
        found = [index for index, name in enumerate(names) if plain_column(str(name)) in role]
        if len(found) != 1:
            return None
        indices += found
    return indices[0], indices[1], indices[2]


def plain_column(name: str) -> str:
    """Normalise a column name: lower case, without a leading `#` and without an ending of `SUFFIXES`."""
    name = name.strip().lstrip("#").strip().lower().replace(" ", "_").replace("-", "_")
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def choose_columns(names: Sequence[object], columns: Sequence[str | int] | None) -> tuple[int, int, int]:
    """Choose the columns of a triple.

    Args:
        names: Column names.
        columns: Names or indices of source, relation and target; by default common names, or else the order.

    Returns:
        Indices of source, relation and target.

    Raises:
        R5Error: A column does not exist, or the columns are ambiguous.
    """
    if columns is None:
        if (roles := column_roles(names)) is not None:
            return roles
        if len(names) == 3:
            return 0, 1, 2
        raise R5Error(
            f"there are {len(names)} columns ({_list_names(names)}) where source, relation and target were expected; "
            "name them with columns=(source, relation, target)"
        )
    check_columns(columns)
    indices = [_index(names, column) for column in columns]
    return indices[0], indices[1], indices[2]


def check_columns(columns: object) -> None:
    """Raise an error if `columns` is not a list of three names or indices."""
    if not isinstance(columns, list | tuple) or len(columns) != 3:
        raise R5Error(f"columns must be a list of three (source, relation, target), found {abbreviate(columns)}")


def _index(names: Sequence[object], column: str | int) -> int:
    """Return the index of a column; a name takes precedence over an index."""
    if column in names:
        return names.index(column)
    if isinstance(column, int) and 0 <= column < len(names):
        return column
    raise R5Error(f"there is no column {column!r}; the columns are {_list_names(names)}")


def _list_names(names: Sequence[object]) -> str:
    """Return the first names of a list as text."""
    return ", ".join(str(name) for name in names[:8]) + (", ..." if len(names) > 8 else "")
