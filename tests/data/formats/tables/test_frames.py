from __future__ import annotations

import sys
from pathlib import Path

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r5.data.formats.tables.frames import graph_from_frame, graph_to_frame, read_parquet
from r5.data.formats.triples import load_triples, read_triples
from r5.errors import DataError, MissingExtraError, R5Error
from r5.graph import Graph

FAMILY = [("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")]
names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=5)


def test_frame_columns_are_found_by_name_and_may_be_given() -> None:
    frame = pandas.DataFrame({"weight": [1.0, 2.0], "tail": ["Eve", "Tom"], "head": ["Ann", "Eve"]})
    frame["relation"] = pandas.Categorical(["mother", "brother"])
    assert graph_from_frame(frame).triples() == FAMILY
    assert graph_from_frame(frame, columns=("tail", "relation", "head")).triples()[0] == ("Eve", "mother", "Ann")
    assert graph_from_frame(frame, inverse=True).triples()[2] == ("Eve", "mother^-1", "Ann")


def test_frame_of_numbers_gives_numbers_as_names() -> None:
    frame = pandas.DataFrame([[1, 7, 2], [2, 7, 3]])
    assert graph_from_frame(frame).triples() == [("1", "7", "2"), ("2", "7", "3")]


def test_table_with_to_pandas_is_read() -> None:
    class Table:
        def to_pandas(self) -> pandas.DataFrame:
            return pandas.DataFrame(FAMILY)

    assert graph_from_frame(Table()).triples() == FAMILY


@pytest.mark.parametrize("nothing", [None, float("nan"), pandas.NA, pandas.NaT, ""])
def test_missing_cell_is_reported_with_its_row(nothing: object) -> None:
    frame = pandas.DataFrame([*FAMILY, ("Tom", nothing, "Ann")])
    with pytest.raises(R5Error, match=r"row 3 \(counted from 1\): the relation is missing"):
        graph_from_frame(frame)


def test_other_types_than_frames_are_refused() -> None:
    with pytest.raises(R5Error, match="expected a data frame, found 5"):
        graph_from_frame(5)


@given(st.lists(st.tuples(names, names, names)))
def test_frame_round_trip_gives_an_equal_graph(triples: list[tuple[str, str, str]]) -> None:
    graph = Graph.from_triples(triples)
    assert graph_from_frame(graph_to_frame(graph)) == graph


def test_inverse_edges_stay_one_fact_in_a_frame() -> None:
    graph = Graph.from_triples(FAMILY, inverse=True)
    assert graph_from_frame(graph_to_frame(graph)) == graph


def test_parquet_file_is_read_as_triples(tmp_path: Path) -> None:
    path = tmp_path / "family.parquet"
    pandas.DataFrame(FAMILY, columns=["head", "relation", "tail"]).to_parquet(path)
    assert read_parquet(path).triples == FAMILY
    assert read_triples(path, inverse=True).number_of_edges == 4
    assert len(load_triples(path).train) == 2


@pytest.mark.parametrize("raw", [b"PAR1 rubbish", b"PAR1" + bytes(50) + b"PAR1", b"\xff\xfe"])
def test_damaged_parquet_file_is_refused(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "x.parquet").write_bytes(raw)
    with pytest.raises(DataError, match=r"x\.parquet: is not a Parquet file: "):
        read_triples(tmp_path / "x.parquet")


def test_parquet_of_other_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pandas.DataFrame({"a": ["x"], "b": ["y"]}).to_parquet(path)
    with pytest.raises(DataError, match=r"x\.parquet: there are 2 columns \(a, b\) where source, relation and target"):
        read_triples(path)
    pandas.DataFrame({"a": ["x", None], "b": ["y", "y"], "c": ["z", "z"]}).to_parquet(path)
    with pytest.raises(DataError, match=r"x\.parquet: row 2 \(counted from 1\): the source is missing"):
        read_triples(path)
    pandas.DataFrame({"a": [], "b": [], "c": []}).to_parquet(path)
    with pytest.raises(DataError, match=r"x\.parquet: holds no triples"):
        read_triples(path)
    path.write_bytes(b"")
    with pytest.raises(DataError, match=r"x\.parquet: is empty"):
        read_triples(path)


@pytest.mark.parametrize("module", ["pandas", "pyarrow"])
def test_missing_pandas_or_pyarrow_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    path = tmp_path / "family.parquet"
    pandas.DataFrame(FAMILY).rename(columns=str).to_parquet(path)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf'^{module} is not installed: pip install "r5-reasoning\[pandas\]"$'):
        read_triples(path)


def test_to_frame_without_pandas_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="pandas is not installed"):
        graph_to_frame(Graph.from_triples(FAMILY))
