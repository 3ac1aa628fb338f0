from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pandas
import pytest

from r5.data import registry
from r5.data.formats.graphs.networks import to_networkx
from r5.data.one_graph import dataset_from_graph
from r5.data.registry import Format, formats, load, register
from r5.dataset import Dataset
from r5.errors import DataError, MissingExtraError, R5Error
from r5.graph import Graph

TRIPLES = [("a", "mother", "b"), ("b", "mother", "c"), ("a", "grandmother", "c")]
GRAPH = Graph.from_triples(TRIPLES)


@pytest.fixture(autouse=True)
def no_traces(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Remove formats that a test registers."""
    monkeypatch.setattr(registry, "_registered", {})
    yield


def answers(data: Dataset) -> list[str | None]:
    return [example.answer_name for example in data.train]


def toy(path: Path, *, size: int = 1) -> Dataset:
    return dataset_from_graph(GRAPH, name=f"{path.name} {size}")


TOY = Format("toy", lambda path: path.suffix == ".toy", toy, "a file that ends in .toy")


def test_generators_are_loaded_by_name() -> None:
    data = load("kinship", train=20, valid=4, test=7, seed=1)
    assert len(data.train) == 20
    assert data.rules is not None
    assert data.train == load("kinship", train=20, valid=4, test=7, seed=1).train
    world = load("world", train=20, valid=4, test=8, seed=1)
    assert len(world.train) == 20
    assert world.rules is not None


def test_a_path_needs_a_separator_where_its_name_is_built_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kinship").mkdir()
    (tmp_path / "kinship" / "train.txt").write_text("a r b\n")
    monkeypatch.chdir(tmp_path)
    assert len(load("kinship", train=20, valid=4, test=7).train) == 20
    assert answers(load("./kinship")) == answers(load(Path("kinship"))) == ["r"]
    assert answers(load("kinship", format="triples")) == ["r"]


def test_graphlog_clutrr_and_triples_are_told_apart(tmp_path: Path) -> None:
    world = tmp_path / "world"
    world.mkdir()
    (world / "train.jsonl").write_text('{"edges": [[0, 1, "r"], [1, 2, "r"]], "query": [0, 2, "q"]}\n')
    assert answers(load(world)) == ["q"]
    stories = tmp_path / "stories"
    stories.mkdir()
    (stories / "1.2_train.csv").write_text(
        ",id,story,query,target,story_edges,edge_types,query_edge,genders\n"
        "0,x,A story,\"('Ann', 'Ida')\",grandmother,\"[(0, 1), (1, 2)]\",\"['mother', 'mother']\",\"(0, 2)\","
        '"Ann:female,Eve:female,Ida:female"\n'
    )
    assert answers(load(stories)) == ["grandmother"]
    (tmp_path / "family.csv").write_text("head;relation;tail\na;mother;b\n")
    assert answers(load(str(tmp_path / "family.csv"), delimiter=";")) == ["mother"]


def test_published_data_is_loaded_by_path(real_data: Path) -> None:
    assert len(load(real_data / "graphlog" / "re_0").train) == 1000
    assert len(load(real_data / "clutrr" / "data_089907f8").train) == 10_094
    assert len(load(real_data / "kg" / "umls").train) == 1302


@pytest.mark.parametrize(
    "source",
    [
        TRIPLES,
        [list(row) for row in TRIPLES],
        np.array(TRIPLES),
        GRAPH,
        pandas.DataFrame(TRIPLES),
        to_networkx(GRAPH),
    ],
)
def test_data_in_memory_is_loaded(source: Any) -> None:
    data = load(source)
    assert sorted(map(str, answers(data))) == ["grandmother", "mother", "mother"]
    assert data.train.masked_facts.min() >= 0
    held_out = load(source, inverse=True, test_fraction=0.4, seed=1, name="x")
    assert (held_out.name, len(held_out.train), len(held_out.test)) == ("x", 2, 1)
    assert held_out.train.pool.number_of_edges == 4


def test_options_reach_the_converter() -> None:
    network = networkx.DiGraph([("a", "b", {"kind": "r"})])
    assert answers(load(network, relation="kind")) == ["r"]
    frame = pandas.DataFrame({"x": ["r"], "y": ["a"], "z": ["b"]})
    assert answers(load(frame, columns=("y", "x", "z"))) == ["r"]
    assert answers(load(np.array([[0, 0, 1]]), relation_names=["r"])) == ["r"]


def test_pyg_data_is_loaded() -> None:
    from r5.data.formats.graphs.pyg import to_pyg

    assert answers(load(to_pyg(GRAPH))) == [relation for _, relation, _ in TRIPLES]


def test_dataset_is_returned_as_it_is() -> None:
    data = load(GRAPH)
    assert load(data) is data
    with pytest.raises(R5Error, match="a data set in memory has no option 'sample'; it accepts: none"):
        load(data, sample=3)


@pytest.mark.parametrize("source", [5, None, b"bytes", object()])
def test_other_types_are_refused(source: object) -> None:
    with pytest.raises(R5Error, match="expected a name, a path, a graph, a data frame or a list of triples, found"):
        load(source)


def test_data_without_edges_is_refused() -> None:
    with pytest.raises(R5Error, match="no edges"):
        load([])


def test_format_is_for_paths() -> None:
    with pytest.raises(R5Error, match="format='triples' is for paths"):
        load(GRAPH, format="triples")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            {"delimeter": ","},
            "the format triples has no option 'delimeter'; it accepts: delimiter, .*did you mean 'delim",
        ),
        ({"inverse": "False"}, "the option inverse of the format triples must be true or false, not 'False'"),
    ],
)
def test_invalid_options_of_files_are_refused(tmp_path: Path, options: dict[str, object], complaint: str) -> None:
    (tmp_path / "a.txt").write_text("a r b\n")
    with pytest.raises(R5Error, match=complaint):
        load(tmp_path / "a.txt", **options)


def test_unknown_options_are_refused_with_a_suggestion() -> None:
    with pytest.raises(R5Error, match=r"kinship has no option 'sead'; it accepts: .*did you mean 'seed'"):
        load("kinship", sead=1)
    with pytest.raises(R5Error, match="data of type list has no option 'relation'; it accepts: columns, name, inv"):
        load(TRIPLES, relation="x")


def test_missing_path_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="kinshp: no such file or folder; did you mean 'kinship'"):
        load("kinshp")
    (tmp_path / "family.txt").write_text("a r b\n")
    with pytest.raises(DataError, match=r"famly\.txt: no such file or folder; did you mean 'family\.txt'\?$"):
        load(tmp_path / "famly.txt")
    with pytest.raises(DataError, match="no such file or folder"):
        load(tmp_path / "nowhere" / "at all")
    with pytest.raises(DataError, match="cannot be read: File name too long"):
        load("x" * 5000)
    with pytest.raises(DataError, match="cannot be read: embedded null byte"):
        load("a\0b")
    with pytest.raises(DataError, match="cannot be read: Not a directory"):
        load(tmp_path / "family.txt" / "x")


def test_unknown_content_lists_the_formats(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is an empty folder"):
        load(tmp_path)
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    for path in (tmp_path, tmp_path / "picture.png"):
        with pytest.raises(
            DataError, match=r"no format recognises it; format=\.\.\. forces one of graphlog: .*clutrr: .*triples"
        ):
            load(path)
    with pytest.raises(DataError, match="is not UTF-8 text"):
        load(tmp_path / "picture.png", format="triples")
    with pytest.raises(R5Error, match=r"no format is called 'triple'; there are .*did you mean 'triples'"):
        load(tmp_path, format="triple")


def test_registered_format_is_used_and_checked(tmp_path: Path) -> None:
    (tmp_path / "x.toy").write_text("anything")
    register(TOY)
    assert formats()[0] is TOY
    assert load(tmp_path / "x.toy", size=3).name == "x.toy 3"
    with pytest.raises(R5Error, match="the format toy has no option 'colour'; it accepts: size"):
        load(tmp_path / "x.toy", colour=1)
    with pytest.raises(R5Error, match="'toy' is registered already"):
        register(TOY)
    with pytest.raises(R5Error, match="'triples' is registered already"):
        register(Format("triples", bool, toy))


def test_a_registered_format_may_take_any_option(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("a r b")
    register(Format("greedy", lambda path: True, lambda path, **options: toy(path, size=options["colour"])))
    assert load(tmp_path / "x.txt", colour=2).name == "x.txt 2"
    assert answers(load(tmp_path / "x.txt", format="triples")) == ["r"]


def test_a_format_must_return_a_data_set(tmp_path: Path) -> None:
    register(Format("broken", lambda path: True, lambda path: None))  # type: ignore[arg-type, return-value]
    with pytest.raises(R5Error, match="a loader returned None and not a Dataset"):
        load(tmp_path)


def test_formats_of_installed_packages_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = [EntryPoint("toy", f"{__name__}:TOY", "r5.formats")]
    monkeypatch.setattr("r5._util.plugins.entry_points", lambda group: points if group == "r5.formats" else [])
    (tmp_path / "x.toy").write_text("anything")
    assert load(tmp_path / "x.toy").name == "x.toy 1"
    assert [format.name for format in formats()] == ["toy", "graphlog", "star", "clutrr", "graphs", "triples"]


@pytest.mark.parametrize(
    ("value", "warning"), [("no_such_package:X", "does not load: No module"), ("sys:path", "is not a Format")]
)
def test_format_package_that_fails_to_import_is_reported_and_skipped(
    monkeypatch: pytest.MonkeyPatch, value: str, warning: str
) -> None:
    monkeypatch.setattr("r5._util.plugins.entry_points", lambda group: [EntryPoint("bad", value, group)])
    with pytest.warns(UserWarning, match=warning):
        assert [format.name for format in formats()] == ["graphlog", "star", "clutrr", "graphs", "triples"]


def test_missing_extra_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.ttl").write_text("<a> <b> <c> .")
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    with pytest.raises(MissingExtraError, match=r'^pyoxigraph is not installed: pip install "r5-reasoning\[rdf\]"$'):
        load(tmp_path / "x.ttl")
