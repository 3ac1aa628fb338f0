"""Data frames and Parquet files of triples."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from r5._util.files.reading import read_bytes
from r5._util.text import abbreviate
from r5.data.formats.tables.columns import ROLES, choose_columns
from r5.data.formats.tables.rows import named_triples
from r5.data.formats.tables.table import Table, describe_columns, unused_columns
from r5.errors import DataError, R5Error, need
from r5.graph import Graph

if TYPE_CHECKING:
    import pandas

__all__ = ["graph_from_frame", "graph_to_frame", "read_frame", "read_parquet"]


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
    return Graph.from_triples(read_frame(frame, columns).triples, inverse=inverse)


def read_frame(frame: Any, columns: Sequence[str | int] | None = None, kind: str = "data frame") -> Table:
    """Read the triples of a data frame; see `graph_from_frame`."""
    table = frame.to_pandas() if hasattr(frame, "to_pandas") else frame
    if not hasattr(table, "iloc") or not hasattr(table, "columns"):
        raise R5Error(f"expected a data frame, found {abbreviate(frame)}")
    names = list(table.columns)
    indices = choose_columns(names, columns)
    values = [table.iloc[:, index].astype(object) for index in indices]
    for role, column in zip(ROLES, values, strict=True):
        if (missing := column.isna().to_numpy()).any():
            raise R5Error(f"row {int(missing.argmax()) + 1} (counted from 1): the {role} is missing")
    triples = named_triples(zip(*(column.tolist() for column in values), strict=True))
    return Table(triples, f"{kind}, {describe_columns(names, indices)}", unused_columns(names, indices))


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


def read_parquet(path: str | Path, columns: Sequence[str | int] | None = None) -> Table:
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
        table = read_frame(frame, columns, "Parquet")
    except R5Error as error:
        raise DataError(str(error), path) from None
    if not table.triples:
        raise DataError("holds no triples", path)
    return table
