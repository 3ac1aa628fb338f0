"""Exports of Neo4j: CSV of neo4j-admin and APOC, JSON lines of APOC."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import r5
from r5.data.formats.graphs.neo4j import is_neo4j
from r5.errors import DataError

PEOPLE = 'personId:ID,name,age:int,:LABEL\n1,"Ann, A",3,Person\n2,Eve,4,Person\n3,Eve,5,Person\n'
KNOWS = ":START_ID,since:int,:END_ID,:TYPE\n1,2,2,KNOWS\n2,3,3,LIKES\n"


def folder(path: Path, **files: str) -> Path:
    path.mkdir(exist_ok=True)
    for name, text in files.items():
        (path / f"{name.replace('__', '-')}.csv").write_text(text)
    return path


def apoc(path: Path, *rows: Any) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def node(key: str, **properties: object) -> dict[str, object]:
    return {"type": "node", "id": key, "labels": ["Person"], "properties": properties}


def edge(start: object, label: object, end: object, **properties: object) -> dict[str, object]:
    ends = [{"id": one} if isinstance(one, str) else one for one in (start, end)]
    return {
        "type": "relationship",
        "id": "0",
        "label": label,
        "start": ends[0],
        "end": ends[1],
        "properties": properties,
    }


def test_nodes_are_named_by_their_name_and_equal_names_stay_apart(tmp_path: Path) -> None:
    data = r5.load(folder(tmp_path / "export", people=PEOPLE, knows=KNOWS))
    assert data.train.pool.triples() == [("Ann, A", "KNOWS", "Eve (2)"), ("Eve (2)", "LIKES", "Eve (3)")]
    assert data.source == (
        "export: 2 triples (Neo4j CSV, nodes named by name; dropped: properties personId, age, since)"
    )
    by_id = r5.load(tmp_path / "export", names="personId")
    assert by_id.train.pool.triples() == [("1", "KNOWS", "2"), ("2", "LIKES", "3")]
    with pytest.raises(DataError, match="no node has the property 'title'; the properties are personId, name, age"):
        r5.load(tmp_path / "export", names="title")


def test_relationships_alone_are_named_by_ids(tmp_path: Path) -> None:
    (tmp_path / "knows.csv").write_text(KNOWS)
    assert r5.load(tmp_path / "knows.csv").train.pool.triples() == [("1", "KNOWS", "2"), ("2", "LIKES", "3")]
    (tmp_path / "knows.csv.gz").write_bytes(gzip.compress(KNOWS.replace(",", ";").encode()))
    assert len(r5.load(tmp_path / "knows.csv.gz").train) == 2


def test_headers_may_be_in_files_of_their_own(tmp_path: Path) -> None:
    header, *rows = KNOWS.splitlines(keepends=True)
    made = folder(tmp_path / "export", people=PEOPLE, knows__header=header, knows_1=rows[0], knows_2=rows[1])
    assert len(r5.load(made).train) == 2


def test_nodes_of_different_id_spaces_stay_apart(tmp_path: Path) -> None:
    made = folder(
        tmp_path / "export",
        films="id:ID(Film)\n1\n",
        people="id:ID(Person)\n1\n",
        acts=":START_ID(Person),:END_ID(Film),:TYPE\n1,1,ACTS\n",
    )
    ((source, _, target),) = r5.load(made).train.pool.triples()
    assert source != target


def test_apoc_has_nodes_and_relationships_in_one_file(tmp_path: Path) -> None:
    rows = [node("0", name="Ann", born=1964), node("1", name="Eve"), edge("0", "KNOWS", "1", since=1993)]
    for name in ("all.json", "all.jsonl"):
        data = r5.load(apoc(tmp_path / name, *rows))
        assert data.train.pool.triples() == [("Ann", "KNOWS", "Eve")]
        assert data.source == f"{name}: 1 triple (Neo4j JSON, nodes named by name; dropped: properties born, since)"
    named = apoc(tmp_path / "rels.json", edge({"id": "0", "properties": {"name": "Ann"}}, "KNOWS", "1"))
    assert r5.load(named).train.pool.triples() == [("Ann", "KNOWS", "1")]


def test_csv_of_apoc_has_both_in_one_table(tmp_path: Path) -> None:
    text = '_id,_labels,name,_start,_end,_type\n0,":A",Ann,,,\n1,":A",Eve,,,\n,,,0,1,KNOWS\n'
    (tmp_path / "all.csv").write_text(text)
    assert r5.load(tmp_path / "all.csv").train.pool.triples() == [("Ann", "KNOWS", "Eve")]


def test_tables_of_triples_are_no_exports(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("head,relation,tail\nAnn,mother,Eve\n")
    (tmp_path / "a.json").write_text('[{"head": "Ann", "relation": "mother", "tail": "Eve"}]')
    assert not any(is_neo4j(path) for path in (tmp_path / "a.csv", tmp_path / "a.json", tmp_path))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (":START_ID,:END_ID,:TYPE\n1,2\n", r"a\.csv:2: 2 columns where 3 were expected"),
        (":START_ID,:END_ID,:TYPE\n1,,KNOWS\n", r"a\.csv:2: the :END_ID is missing"),
        (":START_ID,:END_ID,:TYPE\n", r"a\.csv: holds no relationships"),
        (':START_ID,:END_ID,:TYPE\n1,2,"KNO\n', r"a\.csv:2: is not valid CSV"),
    ],
)
def test_damaged_tables_are_refused_with_their_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(DataError, match=complaint):
        r5.load(tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (edge("0", "", "1"), "the label of a relationship must be a name"),
        (edge("0", "KNOWS", {}), "an end of a relationship must have an id"),
        (["a", "b", "c"], "expected a node or a relationship of APOC"),
        ({**node("1"), "properties": 3}, "properties must be an object"),
    ],
)
def test_damaged_rows_are_refused_with_their_line(tmp_path: Path, row: Any, complaint: str) -> None:
    with pytest.raises(DataError, match=rf"a\.jsonl:2: {complaint}"):
        r5.load(apoc(tmp_path / "a.jsonl", node("0"), row))
