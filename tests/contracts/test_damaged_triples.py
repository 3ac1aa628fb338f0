"""Fuzzed files of triples give a graph or an `R5Error`."""

from __future__ import annotations

import csv
import io
import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from r5.data.formats.split_files import SUFFIXES
from r5.data.formats.tables.delimited import DELIMITERS
from r5.data.formats.triples import load_triples, read_triples
from r5.errors import R5Error
from r5.graph import Graph

one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
name = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=6)
triples = st.lists(st.tuples(name, name, name), min_size=1, max_size=6)
SPECIAL = [
    "\t",
    ",",
    ";",
    "|",
    " ",
    '"',
    "\n",
    "\r",
    "\ufeff",
    "\0",
    "\x1c",
    "head",
    "relation",
    "tail",
    "a",
    "é",
    "\u2028",
]
SEEDS = {
    "x.tsv": b"head\trelation\ttail\na\tr\tb\nb\tq\tc\n",
    "x.csv": b'a,r,"b ""x"", y"\nb,q,c\r\n',
    "x.nt": b'<http://x/a> <http://x/r> _:b .\n_:b <http://x/r> "1"^^<http://x/t> .\n',
    "x.nq": b'<http://x/a> <http://x/r> _:b <http://x/g> .\n_:b <http://x/r> "1"@en <http://x/g> .\n',
    "x.trig": b"@prefix : <http://x/> .\n:g { :a :r :b . }\n:a :r :c .\n",
    "x.json": b'[{"head": "a", "relation": "r", "tail": "b"}, ["b", "q", 3]]',
    "x.jsonl": b'{"subject": "a", "predicate": "r", "object": "b", "weight": 1}\n["b", "q", "c"]\n',
    "neo4j.csv": b":START_ID(P),role,:END_ID(P),:TYPE\n1,x,2,KNOWS\n2,,1,LIKES\n",
    "apoc.json": b'{"type":"node","id":"0","labels":["P"],"properties":{"name":"Ann"}}\n'
    b'{"id":"0","type":"relationship","label":"KNOWS","start":{"id":"0"},"end":{"id":"1"}}\n',
    "x.ttl": b"@prefix : <http://x/> .\n:a :r :b, [ :q 1.5 ] .\n<c> a :d .\n",
    "x.rdf": b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/">'
    b'<rdf:Description rdf:about="http://x/a"><x:r rdf:resource="http://x/b"/></rdf:Description></rdf:RDF>',
}


def survives(path: Path, raw: bytes, **options: object) -> None:
    """Reads the file in both ways: nothing but a graph with edges or an R5Error is allowed."""
    path.write_bytes(raw)
    try:
        graph = read_triples(path, **options)  # type: ignore[arg-type]
        assert graph.number_of_edges > 0
        assert all(graph.vocabulary) and all(graph.entities)
        assert len(load_triples(path, **options).train) > 0  # type: ignore[arg-type]
    except R5Error as error:
        assert "\n" not in str(error)


@one_folder
@given(raw=st.binary(max_size=80), suffix=st.sampled_from(SUFFIXES))
def test_random_bytes_are_read_or_refused(tmp_path: Path, raw: bytes, suffix: str) -> None:
    survives(tmp_path / f"x{suffix}", raw)


@one_folder
@given(
    text=st.lists(st.sampled_from(SPECIAL) | st.text(max_size=3), max_size=30).map("".join),
    options=st.fixed_dictionaries(
        {},
        optional={
            "delimiter": st.sampled_from([*DELIMITERS, "a"]),
            "header": st.booleans(),
            "columns": st.sampled_from([(0, 1, 2), (2, 1, 0), ("head", "relation", "tail"), (1, 3, 2)]),
            "hyperedges": st.booleans(),
            "short": st.booleans(),
        },
    ),
)
def test_random_text_is_read_or_refused(tmp_path: Path, text: str, options: dict[str, object]) -> None:
    survives(tmp_path / "x.txt", text.encode("utf-8", "surrogatepass"), **options)


@one_folder
@given(data=st.data(), file=st.sampled_from(sorted(SEEDS)))
def test_damaged_files_are_read_or_refused(tmp_path: Path, data: st.DataObject, file: str) -> None:
    raw = bytearray(SEEDS[file])
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(raw)))
        stop = data.draw(st.integers(start, min(len(raw), start + 8)))
        raw[start:stop] = data.draw(st.binary(max_size=4) | st.sampled_from(SPECIAL).map(str.encode))
    survives(tmp_path / file, bytes(raw), literals=data.draw(st.booleans()))


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The bytes of a small database of each kind."""
    folder = tmp_path_factory.mktemp("databases")
    with closing(sqlite3.connect(folder / "x.sqlite")) as connection, connection:
        connection.execute("create table triples(head text, relation text, tail text)")
        connection.execute("insert into triples values ('a', 'r', 'b'), ('b', 'q', 'c')")
    with duckdb.connect(folder / "x.duckdb") as other:
        other.execute("create table triples as select 'a' as head, 'r' as relation, 'b' as tail")
    return {name: (folder / name).read_bytes() for name in ("x.sqlite", "x.duckdb")}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(data=st.data(), name=st.sampled_from(["x.sqlite", "x.duckdb"]))
def test_damaged_databases_are_read_or_refused(
    tmp_path: Path, databases: dict[str, bytes], data: st.DataObject, name: str
) -> None:
    raw = bytearray(databases[name])
    start = data.draw(st.integers(0, len(raw)))
    raw[start : start + data.draw(st.integers(1, 64))] = data.draw(st.binary(max_size=64))
    survives(tmp_path / name, bytes(raw))


@one_folder
@given(rows=triples, mark=st.sampled_from(sorted(DELIMITERS)))
def test_written_triples_read_back(tmp_path: Path, rows: list[tuple[str, str, str]], mark: str) -> None:
    """Quoted where the delimiter allows it; what stands in the file is the graph, line by line."""
    buffer = io.StringIO()
    if mark in "\t ":
        buffer.write("".join(mark.join(row) + "\n" for row in rows))
    else:
        csv.writer(buffer, delimiter=mark, quoting=csv.QUOTE_ALL).writerows(rows)
    (tmp_path / "x.csv").write_text(buffer.getvalue(), encoding="utf-8", newline="")
    assert read_triples(tmp_path / "x.csv", delimiter=mark, header=False) == Graph.from_triples(rows)


@one_folder
@given(rows=triples)
def test_tab_separated_triples_are_recognised(tmp_path: Path, rows: list[tuple[str, str, str]]) -> None:
    """Whatever else names hold, three fields between tabs are found."""
    (tmp_path / "x.txt").write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8", newline="")
    assert read_triples(tmp_path / "x.txt", header=False) == Graph.from_triples(rows)


@pytest.mark.parametrize("file", sorted(SEEDS))
def test_the_undamaged_files_are_read(tmp_path: Path, file: str) -> None:
    (tmp_path / file).write_bytes(SEEDS[file])
    assert read_triples(tmp_path / file).number_of_edges > 0
