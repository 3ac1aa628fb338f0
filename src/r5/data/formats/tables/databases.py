"""Tables and queries of databases: SQLite and DuckDB files, and open connections."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from r5._util.files.compression import strip_compression_suffix
from r5._util.files.reading import read_bytes
from r5.data.formats.tables.columns import column_roles
from r5.data.formats.tables.table import Table, table_of_rows
from r5.errors import DataError, R5Error, need

__all__ = ["DATABASE_SUFFIXES", "is_connection", "query_file", "read_connection", "read_database"]

_DUCKDB_SUFFIXES = (".duckdb", ".ddb")
DATABASE_SUFFIXES = (".sqlite", ".sqlite3", ".db", *_DUCKDB_SUFFIXES)
_QUERIED = {
    ".parquet": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".txt": "read_csv",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
"""DuckDB's function for each suffix of a file."""
VIEW = "data"
"""Name of a file in a query."""


def read_database(
    path: str | Path,
    *,
    query: str | None = None,
    table: str | None = None,
    columns: Sequence[str | int] | None = None,
) -> Table:
    """Read the triples of a SQLite or DuckDB file, which is opened for reading only.

    Args:
        path: The file.
        query: SQL query of the triples.
        table: Name of a table or view; by default the only one, or the only one with columns such as head, relation
            and tail.
        columns: Columns of source, relation and target; by default common names, or else the order of three.

    Raises:
        DataError: The file is no database, or the query fails.
        MissingExtraError: duckdb is not installed.
    """
    path = Path(path)
    if not read_bytes(path):
        raise DataError("is empty", path)
    opened = _duckdb_file(path) if path.suffix.lower() in _DUCKDB_SUFFIXES else _sqlite_file(path)
    with opened as connection:
        return _located(path, connection, query, table, columns)


def query_file(path: str | Path, query: str, columns: Sequence[str | int] | None = None) -> Table:
    """Read the triples that a query finds in a Parquet, CSV or JSON file, which it calls `data`.

    Args:
        path: The file.
        query: SQL query for DuckDB.
        columns: Columns of source, relation and target; by default common names, or else the order of three.

    Raises:
        DataError: The file cannot be read, or the query fails.
        MissingExtraError: duckdb is not installed.
    """
    path = Path(path)
    function = _QUERIED.get(strip_compression_suffix(path).suffix.lower())
    if function is None:
        raise DataError(f"query is for databases and files of {', '.join(_QUERIED)}", path)
    name = str(path.resolve()).replace("'", "''")
    with _duckdb(":memory:") as connection:
        try:
            connection.execute(f"create view {VIEW} as select * from {function}('{name}')")  # noqa: S608  a file name
        except Exception as error:  # duckdb raises many types
            raise DataError(f"cannot be queried: {_reason(error)}", path) from None
        return _located(path, connection, query, None, columns)


def _located(
    path: Path, connection: Any, query: str | None, table: str | None, columns: Sequence[str | int] | None
) -> Table:
    """Read a connection to a file; errors name the file."""
    try:
        return read_connection(connection, query=query, table=table, columns=columns)
    except DataError:
        raise
    except R5Error as error:
        raise DataError(str(error), path) from None


def is_connection(source: object) -> bool:
    """Return whether an object is a connection of SQLite, DuckDB, SQLAlchemy or another DB-API module."""
    return any(callable(getattr(source, name, None)) for name in ("cursor", "exec_driver_sql")) or (
        callable(getattr(source, "connect", None)) and hasattr(source, "dialect")
    )


def read_connection(
    connection: Any,
    query: str | None = None,
    table: str | None = None,
    columns: Sequence[str | int] | None = None,
) -> Table:
    """Read the triples of an open connection.

    Args:
        connection: A connection of sqlite3, DuckDB or another DB-API module, or an engine or connection of SQLAlchemy.
        query: SQL query of the triples.
        table: Name of a table; for SQLite and DuckDB, by default the one with columns such as head, relation and tail.
        columns: Columns of source, relation and target; by default common names, or else the order of three.

    Raises:
        R5Error: The query fails, gives no rows, or the columns are ambiguous.
    """
    if query is not None and table is not None:
        raise R5Error("give either query or table")
    if query is not None and not isinstance(query, str):
        raise R5Error(f"query must be SQL, not {query!r}")
    if query is None:
        table = str(table) if table is not None else _only_table(connection)
        query = f"select * from {_quoted(table)}"  # noqa: S608
        kind = f"table {table}"
    else:
        kind = "query"
    try:
        names, rows = _execute(connection, query)
        found = table_of_rows(names, rows, columns, kind)
    except R5Error:
        raise
    except Exception as error:  # each database has its own types
        raise R5Error(f"the query fails: {_reason(error)}") from None
    if not found.triples:
        raise R5Error(f"the {kind} has no rows")
    return found


def _only_table(connection: Any) -> str:
    """Return the only table, or the only one whose columns have common names."""
    if isinstance(connection, sqlite3.Connection):
        listing = "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%'"
    elif _is_duckdb(connection):
        listing = "select table_name from information_schema.tables"
    else:
        raise R5Error("a connection needs query=..., or table=...")
    try:
        tables = sorted(str(row[0]) for row in _execute(connection, listing)[1])
        columns = {name: _execute(connection, f"select * from {_quoted(name)} limit 0")[0] for name in tables}  # noqa: S608
    except Exception as error:  # each database has its own types
        raise R5Error(f"is not a database that can be read: {_reason(error)}") from None
    fitting = [name for name in tables if column_roles(columns[name])]
    found = tables if len(tables) == 1 else fitting
    if len(found) == 1:
        return found[0]
    listed = "; ".join(f"{name}({', '.join(columns[name])})" for name in tables[:8])
    what = f"{len(fitting)} of its tables have" if fitting else "none of its tables has"
    raise R5Error(
        f"{what} columns such as head, relation, tail: give query=... or table=...; it has {listed or 'none'}"
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _execute(connection: Any, query: str) -> tuple[list[str], Iterable[Sequence[object]]]:
    """Run a query and return the names of its columns and its rows."""
    if hasattr(connection, "dialect") and hasattr(connection, "connect"):
        return _execute_alchemy(connection, query)
    if hasattr(connection, "exec_driver_sql"):
        result = connection.exec_driver_sql(query)
        return list(result.keys()), result.fetchall()
    if _is_duckdb(connection):  # its cursors are sessions of their own, without temporary tables
        return _rows(connection.execute(query))
    with closing(connection.cursor()) as cursor:
        cursor.execute(query)
        return _rows(cursor)


def _rows(cursor: Any) -> tuple[list[str], Iterable[Sequence[object]]]:
    """Return the names of the columns and the rows of an executed query."""
    if cursor.description is None:
        raise R5Error("the query returns no table")
    return [str(column[0]) for column in cursor.description], cursor.fetchall()


def _is_duckdb(connection: object) -> bool:
    return "duckdb" in type(connection).__module__


def _execute_alchemy(engine: Any, query: str) -> tuple[list[str], Iterable[Sequence[object]]]:
    """Run a query on an engine of SQLAlchemy."""
    with engine.connect() as connection:
        result = connection.exec_driver_sql(query)
        return list(result.keys()), result.fetchall()


@contextmanager
def _sqlite_file(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise DataError(f"is not a SQLite database: {_reason(error)}", path) from None
    with closing(connection):
        yield connection


@contextmanager
def _duckdb_file(path: Path) -> Iterator[Any]:
    with _duckdb(str(path), read_only=True) as connection:
        yield connection


@contextmanager
def _duckdb(name: str, read_only: bool = False) -> Iterator[Any]:
    """Open DuckDB without access to extensions on the network."""
    try:
        import duckdb
    except ImportError:
        raise need("duckdb", "duckdb") from None
    config: dict[str, Any] = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    try:
        connection = duckdb.connect(name, read_only=read_only, config=config)
    except Exception as error:  # duckdb raises many types
        raise DataError(f"is not a DuckDB database: {_reason(error)}", name) from None
    with closing(connection):
        yield connection


def _reason(error: Exception) -> str:
    """Return the message of an error in one short line."""
    return " ".join(str(error).split())[:200]
