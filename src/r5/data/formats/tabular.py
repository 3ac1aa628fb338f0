"""Tables of triples: data frames, Parquet files, lists of tuples and arrays of integer ids."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from r5._util.files.reading import read_bytes
from r5._util.text import abbreviate
from r5.errors import DataError, R5Error, need
from r5.graph import Graph
from r5.relations import Vocabulary

if TYPE_CHECKING:
    import pandas

__all__ = [
    "Triple",
    "check_columns",
    "choose_columns",
    "column_roles",
    "graph_from_frame",
    "graph_from_ids",
    "graph_from_tuples",
    "graph_to_frame",
    "plain_column",
    "read_parquet",
]

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
            f"there are {len(names)} columns ({_few(names)}) where source, relation and target were expected; "
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
    raise R5Error(f"there is no column {column!r}; the columns are {_few(names)}")


def _few(names: Sequence[object]) -> str:
    """Return the first names of a list as text."""
    return ", ".join(str(name) for name in names[:8]) + (", ..." if len(names) > 8 else "")


def graph_from_frame(frame: Any, columns: Sequence[str | int] | None = None, inverse: bool = False) -> Graph:
    """Convert a data frame to a graph.

    Args:
        frame: A pandas frame, or a table with a method `to_pandas` (polars, pyarrow).
        columns: Names or indices of source, relation and target; by default common names such as head, relation
            and tail, or else the order of three columns.
        inverse: Add inverse edges.

    Raises:
        R5Error: The columns are ambiguous, or a value is missing.

    >>> import pandas
    >>> graph_from_frame(pandas.DataFrame({"head": ["Ann"], "tail": ["Eve"], "relation": ["mother"]})).triples()
    [('Ann', 'mother', 'Eve')]

    """
    return Graph.from_triples(_frame_triples(frame, columns), inverse=inverse)


def _frame_triples(frame: Any, columns: Sequence[str | int] | None) -> list[Triple]:
    """Return the rows of a frame as triples of names."""
    table = frame.to_pandas() if hasattr(frame, "to_pandas") else frame
    if not hasattr(table, "iloc") or not hasattr(table, "columns"):
        raise R5Error(f"expected a data frame, found {abbreviate(frame)}")
    indices = choose_columns(list(table.columns), columns)
    values = [table.iloc[:, index].astype(object) for index in indices]
    for role, column in zip(ROLES, values, strict=True):
        if (missing := column.isna().to_numpy()).any():
            raise R5Error(f"row {int(missing.argmax()) + 1} (counted from 1): the {role} is missing")
    return _named(zip(*(column.tolist() for column in values), strict=True))


def graph_to_frame(graph: Graph) -> pandas.DataFrame:
    """Convert a graph to a pandas frame with the columns source, relation and target.

    >>> list(graph_to_frame(Graph.from_triples([("Ann", "mother", "Eve")])).columns)
    ['source', 'relation', 'target']
    """
    try:
        import pandas
    except ImportError:
        raise need("pandas", "pandas") from None
    return pandas.DataFrame(graph.triples(), columns=list(ROLES), dtype=object)


def read_parquet(path: str | Path, columns: Sequence[str | int] | None = None) -> list[Triple]:
    """Read the triples of a Parquet file; see `graph_from_frame` for the columns.

    Raises:
        DataError: The file is invalid or has no triples.
        MissingExtraError: pandas or pyarrow is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise need("pandas", "pandas") from None
    raw = read_bytes(path)
    try:
        frame = pandas.read_parquet(io.BytesIO(raw), engine="pyarrow")
    except ImportError:
        raise need("pyarrow", "pandas") from None
    except Exception as error:  # pyarrow raises many types
        raise DataError(f"is not a Parquet file: {' '.join(str(error).split())}", path) from None
    try:
        triples = _frame_triples(frame, columns)
    except R5Error as error:
        raise DataError(str(error), path) from None
    if not triples:
        raise DataError("holds no triples", path)
    return triples


def graph_from_tuples(triples: Iterable[Sequence[object]], inverse: bool = False) -> Graph:
    """Convert (source, relation, target) rows to a graph.

    Args:
        triples: Rows of names; other values, such as numbers, are converted to text.
        inverse: Add inverse edges.

    Raises:
        R5Error: A row is not a triple, or a name is missing.

    >>> graph_from_tuples([(1, "mother", 2)]).triples()
    [('1', 'mother', '2')]

    """
    return Graph.from_triples(_named(triples), inverse=inverse)


def _named(rows: Iterable[Sequence[object]]) -> list[Triple]:
    """Convert rows to triples of text and check them."""
    triples: list[Triple] = []
    for number, row in enumerate(rows, start=1):
        if isinstance(row, str | bytes) or not hasattr(row, "__len__") or len(row) != 3:
            raise R5Error(
                f"row {number} (counted from 1): expected (source, relation, target), found {abbreviate(row)}"
            )
        source, relation, target = (cell if type(cell) is str else _name(cell) for cell in row)
        if not (source and relation and target):
            empty = next(role for role, name in zip(ROLES, (source, relation, target), strict=True) if not name)
            raise R5Error(f"row {number} (counted from 1): the {empty} is missing")
        triples.append((source, relation, target))
    return triples


def _name(cell: object) -> str:
    """Convert a cell to a name; None and NaN become the empty string."""
    return "" if cell is None or (isinstance(cell, float) and math.isnan(cell)) else str(cell)


def graph_from_ids(
    triples: ArrayLike,
    relation_names: Sequence[str] | None = None,
    entity_names: Sequence[str] | None = None,
    inverse: bool = False,
) -> Graph:
    """Convert an integer array to a graph.

    Args:
        triples: (source, relation, target) ids, [edges, 3].
        relation_names: Relation names by id; by default the ids that occur serve as names.
        entity_names: Entity names by id; by default the ids that occur serve as names.
        inverse: Add inverse edges.

    Raises:
        R5Error: The array has the wrong shape or type, or an id is out of range.

    >>> graph_from_ids([[0, 0, 1], [1, 0, 7]], relation_names=["mother"]).triples()
    [('0', 'mother', '1'), ('1', 'mother', '7')]

    """
    array = np.asarray(triples)
    if array.ndim != 2 or array.shape[1] != 3 or (array.size and array.dtype.kind not in "iu"):
        raise R5Error(f"expected integers of shape [edges, 3], found {array.dtype} of shape {list(array.shape)}")
    if array.size and array.min() < 0:
        raise R5Error(f"ids must not be negative, found {array.min()}")
    array = array.astype(np.int64)
    relations, kinds = _numbered(array[:, 1], relation_names)
    entities, ends = _numbered(array[:, [0, 2]].ravel(), entity_names)
    if len(set(entities)) != len(entities):
        raise R5Error("two entities have the same name")
    ends = ends.reshape(-1, 2)
    graph = Graph.from_arrays(Vocabulary(relations), entities, ends[:, 0], kinds, ends[:, 1])
    return graph.with_inverses() if inverse else graph


def _numbered(ids: np.ndarray, names: Sequence[str] | None) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the names and the index of each id among them."""
    if names is not None:
        return tuple(map(str, names)), ids
    used, indices = np.unique(ids, return_inverse=True)
    return tuple(map(str, used.tolist())), indices
