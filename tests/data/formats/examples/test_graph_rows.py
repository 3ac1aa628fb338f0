"""Small graphs of one's own: JSON lines, tables with a column for the graph, wrong orders, rows without answers."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import r5
from r5.data.builder import rows_of
from r5.data.formats.examples.graph_rows import load_graphs
from r5.data.registry import recognised_name
from r5.errors import DataError, R5Error

EDGES = [["Ann", "mother", "Eve"], ["Eve", "sister", "Zoe"]]
ROW = {"edges": EDGES, "query": ["Ann", "Zoe"], "answer": "aunt"}
TABLE = "graph,source,relation,target,query\n1,Ann,mother,Eve,\n1,Ann,aunt,Zoe,yes\n1,Eve,sister,Zoe,\n1,Zoe,,Ann,yes\n"


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def test_edges_are_source_relation_target(tmp_path: Path) -> None:
    data = r5.load(lines(tmp_path / "family.jsonl", ROW, {**ROW, "query": {"source": "Zoe", "target": "Ann"}}))
    first, second = data.train
    assert first.graph.triples() == [("Ann", "mother", "Eve"), ("Eve", "sister", "Zoe")]
    assert (first.source, first.target, first.answer_name) == ("Ann", "Zoe", "aunt")
    assert (second.source, second.target) == ("Zoe", "Ann")
    assert data.source.startswith("family.jsonl: 2 graphs with a query (JSON lines, edges as [source, relation")


def test_rows_without_an_answer_are_for_prediction(tmp_path: Path) -> None:
    rows = [ROW, {"edges": EDGES, "query": ["Eve", "Zoe"]}, {**ROW, "answer": None}]
    data = r5.load(lines(tmp_path / "some.jsonl", *rows))
    assert (len(data.train), len(data.valid), len(data.test)) == (1, 0, 2)
    assert [example.answer for example in data.test] == [None, None]
    assert "3 graphs with a query, 2 without an answer" in data.source


def test_the_split_is_that_of_the_file_the_row_or_the_option(tmp_path: Path) -> None:
    rows = [ROW, {**ROW, "split": "test"}, {**ROW, "split": "dev"}]
    file = lines(tmp_path / "some.jsonl", *rows)
    assert [len(r5.load(file).split(split)) for split in ("train", "valid", "test")] == [1, 1, 1]
    assert len(r5.load(file, split="valid").valid) == 3
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("train", "dev", "test"):
        lines(folder / f"{name}.jsonl", ROW)
    data = r5.load(folder)
    assert [len(data.split(split)) for split in ("train", "valid", "test")] == [1, 1, 1]
    assert (data.name, recognised_name(folder)) == ("folder", "graphs")
    lines(folder / "valid.jsonl", ROW)
    with pytest.raises(DataError, match=r"dev\.jsonl and valid\.jsonl are both valid|duplicated split"):
        r5.load(folder)
    with pytest.raises(R5Error, match="split must be train, valid or test"):
        r5.load(file, split="all")


def test_a_folder_may_hold_only_graphs_to_answer(tmp_path: Path) -> None:
    lines(tmp_path / "test.jsonl", {"edges": [[1, "R", 2]], "query": [1, 2]})
    assert r5.load(tmp_path).test[0].graph.triples() == [("1", "R", "2")]


def test_graphlog_is_recognised_by_its_rows(tmp_path: Path) -> None:
    for number, row in enumerate(
        [
            {"edges": [["a", "b", "R"]], "query": ["a", "b", "R"]},
            {"edges": [["a", "b", "R"]], "query": ["a", "b"], "target": "R"},
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        lines(folder / "train.jsonl", row)
        assert recognised_name(folder) == "graphlog"
        assert r5.load(folder).train[0].graph.triples() == [("a", "R", "b")]


def test_a_folder_of_json_lines_of_triples_is_a_knowledge_graph(tmp_path: Path) -> None:
    lines(tmp_path / "train.jsonl", ["Ann", "mother", "Eve"], ["Eve", "sister", "Zoe"])
    lines(tmp_path / "test.jsonl", {"head": "Ann", "relation": "aunt", "tail": "Zoe"})
    assert recognised_name(tmp_path) == "triples"
    assert r5.load(tmp_path).test[0].answer_name == "aunt"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"edges": [["Ann", "Eve", "mother"]], "query": ["Ann", "Eve"], "answer": "x"}, r"look like \[source, target"),
        (
            {"edges": [["Ann", "Eve", "mother"], ["Eve", "Zoe", "son"]], "query": ["Ann", "Eve"]},
            r"look like \[source, target, relation\], expected \[source, relation, target\]",
        ),
        ({"edges": [[1, 2, "R"]], "query": [1, 2]}, r"this one looks like \[source, target, relation\]"),
        ({**ROW, "descriptor": "a,b"}, "unexpected key 'descriptor', as of GraphLog"),
        ({**ROW, "query": ["Ann"]}, r"query must be \[source, target\]"),
        ({**ROW, "answer": 3}, "answer must be a relation or null"),
        ({**ROW, "edges": [["Ann", "Eve"]]}, r"an edge must be \[source, relation, target\], found"),
        ({**ROW, "split": "all"}, "split must be train, valid or test"),
        (["Ann", "mother", "Eve"], "expected an object with edges, query"),
    ],
)
def test_an_invalid_row_is_an_error_that_names_the_line(tmp_path: Path, row: Any, message: str) -> None:
    with pytest.raises(DataError, match=rf"some\.jsonl:2: .*{message}"):
        r5.load(lines(tmp_path / "some.jsonl", ROW, row))


def test_graphlog_in_the_order_of_triples_is_named_as_such(tmp_path: Path) -> None:
    lines(tmp_path / "train.jsonl", {"edges": EDGES, "query": ["Ann", "Zoe", "aunt"]})
    with pytest.raises(
        DataError, match=r"look like \[source, relation, target\], expected GraphLog's \[source, target"
    ):
        r5.load(tmp_path)
    lines(tmp_path / "train.jsonl", {"edges": [[0, "R", 1]], "query": [0, 1, "R"]})
    with pytest.raises(DataError, match=r"this one looks like \[source, relation, target\]"):
        r5.load(tmp_path)


def test_a_table_has_a_row_per_edge_or_query(tmp_path: Path) -> None:
    (tmp_path / "some.csv").write_text(TABLE)
    data = r5.load(tmp_path / "some.csv")
    assert recognised_name(tmp_path / "some.csv") == "graphs"
    assert data.train[0].graph.triples() == [("Ann", "mother", "Eve"), ("Eve", "sister", "Zoe")]
    assert (data.train[0].target, data.train[0].answer_name) == ("Zoe", "aunt")
    assert (data.test[0].source, data.test[0].target, data.test[0].answer) == ("Zoe", "Ann", None)
    assert data.source == "some.csv: 2 graphs with a query, 1 without an answer (a row per edge or query)"


def test_tables_may_be_compressed_with_tabs_and_splits(tmp_path: Path) -> None:
    text = "query\tsplit\tgraph\thead\trelation\ttail\n\t\tg\ta\tR\tb\ntrue\tvalid\tg\ta\tS\tb\n"
    (tmp_path / "some.tsv.gz").write_bytes(gzip.compress(text.encode()))
    assert r5.load(tmp_path / "some.tsv.gz").valid[0].answer_name == "S"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1,Ann,mother,Eve,perhaps", "the column query must say yes or nothing"),
        ("1,Ann,,Eve,", "the relation is missing"),
        (",Ann,mother,Eve,", "the graph is missing"),
        ("1,Ann,mother,Eve", "4 columns where 5 were expected"),
        ("2,Ann,aunt,Eve,yes", "which no edge of the graph does"),
    ],
)
def test_an_invalid_row_of_a_table_is_an_error(tmp_path: Path, row: str, message: str) -> None:
    (tmp_path / "some.csv").write_text(f"{TABLE}{row}\n")
    with pytest.raises(DataError, match=rf"some\.csv:6: .*{message}"):
        r5.load(tmp_path / "some.csv")


def test_a_table_without_queries_is_refused(tmp_path: Path) -> None:
    (tmp_path / "some.csv").write_text("graph,source,relation,target,query\n1,Ann,mother,Eve,\n")
    with pytest.raises(DataError, match="has no queries"):
        r5.load(tmp_path / "some.csv")


NAMES = st.sampled_from(["a", "b", "0", 'x "y"', "Zoë", "a,b", "\u2028", "[x]"])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(NAMES, NAMES, NAMES), min_size=1, max_size=4), NAMES | st.none(), st.data())
def test_rows_are_read_as_they_were_written(
    edges: list[tuple[str, str, str]], answer: str | None, data: st.DataObject
) -> None:
    nodes = sorted({name for source, _, target in edges for name in (source, target)})
    ends = [data.draw(st.sampled_from(nodes)) for _ in range(2)]
    row = {"edges": edges, "query": ends, "answer": answer}
    with tempfile.TemporaryDirectory() as folder:
        path = lines(Path(folder) / "test.jsonl", row)
        try:
            (read,) = rows_of(load_graphs(path).test)
        except R5Error as error:  # names of relations that are nodes, and nodes that are none
            assert "look like [source, target, relation]" in str(error)
            assert {source for source, *_ in edges}.isdisjoint({target for *_, target in edges})
            return
        assert ([*read.edges], read.source, read.target, read.answer) == (edges, *ends, answer)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=5), st.integers(0, 200), st.booleans())
def test_damaged_files_are_read_or_refused(new: bytes, place: int, is_table: bool) -> None:
    content = TABLE.encode() if is_table else f"{json.dumps(ROW)}\n".encode() * 2
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("some.csv" if is_table else "some.jsonl")
        path.write_bytes(content[:place] + new + content[place + 3 :])
        try:
            load_graphs(path)
        except R5Error as error:
            assert "\n" not in str(error)
            assert str(error).startswith(folder)
