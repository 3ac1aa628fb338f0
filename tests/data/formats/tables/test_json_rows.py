"""JSON and JSON lines of triples."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import r5
from r5.data.formats.tables.json_rows import first_value, read_json
from r5.errors import DataError

TRIPLES = [("Ann", "mother", "Eve"), ("Eve", "sister", "Zoë")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '[{"head": "Ann", "relation": "mother", "tail": "Eve"}, ["Eve", "sister", "Zoë"]]'),
        ("a.jsonl", '{"subject": "Ann", "predicate": "mother", "object": "Eve"}\n["Eve", "sister", "Zoë"]\n'),
        ("a.ndjson", '\n{"from": "Ann", "to": "Eve", "type": "mother"}\n\n["Eve", "sister", "Zoë"]'),
        ("a.json", '{"h": "Ann", "r": "mother", "t": "Eve"}\n{"h": "Eve", "r": "sister", "t": "Zoë"}\n'),
    ],
)
def test_objects_of_common_keys_and_lists_of_three_are_triples(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert r5.load(tmp_path / name).train.pool.triples() == TRIPLES


def test_keys_can_be_given_and_unused_ones_are_said(tmp_path: Path) -> None:
    rows = [{"who": "Ann", "year": 1, "does": "mother", "whom": "Eve"}]
    (tmp_path / "a.jsonl").write_text(json.dumps(rows[0]))
    with pytest.raises(DataError, match=r"a\.jsonl: row 1 \(counted from 1\): expected keys such as source, relation"):
        read_json(tmp_path / "a.jsonl")
    data = r5.load(tmp_path / "a.jsonl", columns=["who", "does", "whom"])
    assert data.train.pool.triples() == TRIPLES[:1]
    assert data.source == (
        "a.jsonl: 1 triple (JSON, columns who, does, whom as source, relation, target; dropped: column year)"
    )


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.json", "3", "expected a list of triples, found 3"),
        ("a.json", '{"a": 1}', "expected keys such as source, relation"),
        ("a.json", "[1]", r"row 1 \(counted from 1\): expected \(source, relation, target\), found 1"),
        ("a.json", '[["a", "b"]]', "expected .source, relation, target."),
        ("a.json", '[["a", "b", null]]', "the target is missing"),
        ("a.json", '[["a", ["b"], "c"]]', "a name must be text or a number"),
        ("a.jsonl", '["a", "b", "c"]\n{"a": ', ":2: is not valid JSON"),
        ("a.json", "[]", "holds no triples"),
        ("a.json", "\n", "is empty"),
    ],
)
def test_invalid_rows_are_refused(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=complaint):
        read_json(tmp_path / name)


def test_the_first_row_of_json_lines_is_read_alone(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('\n["a", "b", "c"]\nbroken')
    assert first_value(tmp_path / "a.jsonl") == ["a", "b", "c"]
    assert first_value(tmp_path / "nothing.jsonl") is None


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(NAMES, NAMES, NAMES), min_size=1, max_size=4, unique=True), st.booleans())
def test_frames_written_by_pandas_are_the_same_graph(triples: list[tuple[str, str, str]], lines: bool) -> None:
    frame = pandas.DataFrame(triples, columns=["head", "relation", "tail"], dtype=object)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("a.jsonl" if lines else "a.json")
        frame.to_json(path, orient="records", lines=lines)
        assert read_json(path).triples == triples
