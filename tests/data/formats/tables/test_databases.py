"""Databases: SQLite and DuckDB files, queries of Parquet and CSV files, open connections."""

from __future__ import annotations

import re
import sqlite3
import sys
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
import sqlalchemy

import r5
from r5.data.formats.tables.databases import is_connection, read_connection, read_database
from r5.errors import DataError, MissingExtraError, R5Error

TRIPLES = [("Ann", "mother", "Eve"), ("Eve", "sister", "Zoë's"), ("Ann", "likes; --", 'a "b"')]
SELECT = "select s, p, o from triples"


@pytest.fixture
def sqlite(tmp_path: Path) -> Path:
    path = tmp_path / "graph.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("create table triples (s text, p text, o text)")
    connection.execute('create table "other; table" (id integer, note text)')
    connection.executemany("insert into triples values (?, ?, ?)", TRIPLES)
    connection.commit()
    connection.close()
    return path


@pytest.fixture
def duck(tmp_path: Path) -> Path:
    path = tmp_path / "graph.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute("create table kg (head varchar, relation varchar, tail varchar, weight double)")
    connection.executemany("insert into kg values (?, ?, ?, 1)", TRIPLES)
    connection.close()
    return path


def test_the_table_with_common_columns_is_read(sqlite: Path, duck: Path) -> None:
    assert r5.load(sqlite).train.pool.triples() == TRIPLES
    assert r5.load(sqlite).source == (
        "graph.sqlite: 3 triples (table triples, columns s, p, o as source, relation, target)"
    )
    data = r5.load(duck)
    assert data.train.pool.triples() == TRIPLES
    assert data.source.endswith("columns head, relation, tail as source, relation, target; dropped: column weight)")


def test_a_query_or_a_table_can_be_given(sqlite: Path, duck: Path) -> None:
    query = f"{SELECT} where p = 'mother'"
    assert r5.load(sqlite, query=query).train.pool.triples() == TRIPLES[:1]
    assert r5.load(sqlite, table="triples", columns=["o", "p", "s"]).train.pool.triples()[0] == ("Eve", "mother", "Ann")
    assert r5.load(duck, query="select tail, relation, head from kg limit 1", columns=[2, 1, 0]).train.pool.triples()
    with pytest.raises(R5Error, match="give either query or table"):
        r5.load(sqlite, query=query, table="triples")


def test_files_are_opened_for_reading_only(sqlite: Path, duck: Path) -> None:
    for path, name in ((sqlite, "triples"), (duck, "kg")):
        before = path.read_bytes()
        with pytest.raises(DataError):
            r5.load(path, query=f"drop table {name}")
        assert path.read_bytes() == before


def test_a_query_reads_parquet_csv_and_json_files(tmp_path: Path) -> None:
    frame = pandas.DataFrame(TRIPLES, columns=["head", "relation", "tail"])
    frame.to_parquet(tmp_path / "it's.parquet")
    frame.to_csv(tmp_path / "some.csv", index=False)
    frame.to_json(tmp_path / "some.jsonl", orient="records", lines=True)
    for name in ("it's.parquet", "some.csv", "some.jsonl"):
        data = r5.load(tmp_path / name, query="select head, relation, tail from data where tail <> 'Eve'")
        assert data.train.pool.triples() == TRIPLES[1:], name
    (tmp_path / "some.nt").write_text("<a> <b> <c> .")
    with pytest.raises(DataError, match=r"query is for databases and files of \.parquet"):
        r5.load(tmp_path / "some.nt", query="select 1")


def connections(sqlite: Path) -> list[Any]:
    engine = sqlalchemy.create_engine(f"sqlite:///{sqlite}")
    duck = duckdb.connect()
    duck.execute("create table triples (s varchar, p varchar, o varchar)")
    duck.executemany("insert into triples values (?, ?, ?)", TRIPLES)
    return [sqlite3.connect(sqlite), engine, engine.connect(), duck]


def test_open_connections_are_read(sqlite: Path) -> None:
    for connection in connections(sqlite):
        assert is_connection(connection)
        assert r5.load(connection, query=SELECT).train.pool.triples() == TRIPLES
        assert r5.load(connection, table="triples").train.pool.triples() == TRIPLES
        with pytest.raises(R5Error, match="the query fails: "):
            r5.load(connection, query="select nothing from nowhere")
        connection.dispose() if hasattr(connection, "dispose") else connection.close()
    assert not is_connection(TRIPLES)


def test_a_relation_of_duckdb_is_read() -> None:
    frame = pandas.DataFrame(TRIPLES, columns=["head", "relation", "tail"])
    with duckdb.connect() as connection:
        assert r5.load(connection.from_df(frame)).train.pool.triples() == TRIPLES


def test_connections_of_other_modules_need_a_query(sqlite: Path) -> None:
    engine = sqlalchemy.create_engine(f"sqlite:///{sqlite}")
    with pytest.raises(R5Error, match=r"a connection needs query=\.\.\., or table="):
        read_connection(engine)
    engine.dispose()


def test_tables_that_do_not_fit_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "graph.db"
    connection = sqlite3.connect(path)
    for name in ("one", "two"):
        connection.execute(f"create table {name} (s, p, o)")
    connection.commit()
    complaint = (
        "2 of its tables have columns such as head, relation, tail: give query=... or table=...; it has one(s, p"
    )
    with pytest.raises(DataError, match=re.escape(complaint)):
        read_database(path)
    with pytest.raises(DataError, match="the table one has no rows"):
        read_database(path, table="one")
    connection.execute("insert into one values ('a', null, 'c')")
    connection.commit()
    connection.close()
    with pytest.raises(DataError, match=r"graph\.db: row 1 \(counted from 1\): the relation is missing"):
        read_database(path, table="one")


@pytest.mark.parametrize("name", ["a.sqlite", "a.db", "a.duckdb"])
def test_other_files_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("Ann\tmother\tEve\n" * 100)
    with pytest.raises(DataError, match="is not a"):
        r5.load(tmp_path / name)


def test_missing_duckdb_names_the_extra(duck: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingExtraError, match=r'pip install "r5-reasoning\[duckdb\]"'):
        r5.load(duck)
