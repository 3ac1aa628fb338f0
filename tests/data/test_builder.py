"""DatasetBuilder and the way back, rows_of."""

from __future__ import annotations

import re

import numpy as np
import pytest

from r5.data.builder import DatasetBuilder, Row, rows_of
from r5.errors import R5Error
from r5.examples import Example, Examples, Query
from r5.graph import Graph

EDGES = (("Ann", "mother", "Eve"), ("Eve", "mother", "Ida"))
ROW = Row(EDGES, "Ann", "Ida", "grandmother", ("Ann", "Eve", "Ida"), ("mother", "mother"))


def test_rows_become_columns_and_rows_again() -> None:
    builder = DatasetBuilder("toy")
    rows = [ROW, Row([("x", "r_10", "y"), ("x", "r_2", "x")], "y", "x")]
    for row in rows:
        builder.add("valid", row)
    data = builder.build()
    assert data.name == "toy"
    assert data.vocabulary.known == ("grandmother", "mother", "r_2", "r_10")
    assert (len(data.train), len(data.valid), len(data.test)) == (0, 2, 0)
    assert list(rows_of(data.valid)) == [
        Row(list(row.edges), row.source, row.target, row.answer, row.resolution, row.descriptor) for row in rows
    ]
    assert [row.source for row in rows_of(data.valid.select([1, 0]))] == ["y", "Ann"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (Row(EDGES, "Ann", "Tom"), "the query or its path names 'Tom', which no edge of the graph does"),
        (Row(EDGES, "Ann", "x" * 10_000), "names 'xxxxx"),
        (Row((), "Ann", "Ann"), "names 'Ann', which no edge"),
        (Row(EDGES, "Ann", "Ida", resolution=("Ann", "Tom", "Ida")), "names 'Tom'"),
        (Row(EDGES, "Ann", "Ida", resolution=("Eve", "Ida")), "path does not lead from the query's source"),
        (Row(EDGES, "Ann", "Ida", resolution=("Ann", "Eve")), "path does not lead from the query's source"),
        (
            Row(EDGES, "Ann", "Ida", resolution=("Ann", "Eve", "Ida"), descriptor=("mother",)),
            "the descriptor has 1 relations where the path has 2 steps",
        ),
        (Row([("a", "", "b")], "a", "b"), "relation of an edge, of the answer or of the descriptor is missing"),
        (Row([("a", "new", "b")], "a", "b", ""), "relation of an edge, of the answer or of the descriptor is missing"),
        (Row([("a", "new", "b")], "a", "b", descriptor=("x", "")), "relation of an edge, of the answer"),
        (Row([("", "new", "b")], "b", "b"), "an edge names an entity that is empty"),
    ],
)
def test_inconsistent_row_is_refused_and_adds_nothing(row: Row, message: str) -> None:
    builder, twin = DatasetBuilder("toy"), DatasetBuilder("toy")
    builder.add("train", ROW)
    twin.add("train", ROW)
    with pytest.raises(R5Error, match=re.escape(message)) as caught:
        builder.add("train", row)
    assert len(str(caught.value)) < 200
    builder.add("train", ROW)
    twin.add("train", ROW)
    assert builder.build() == twin.build()


def test_three_splits_are_generated() -> None:
    with pytest.raises(R5Error, match="no split is called 'dev'; expected train, valid or test"):
        DatasetBuilder("toy").add("dev", ROW)


def one(graph: Graph) -> Examples:
    return Examples.of([Example(graph, Query(0, 1))])


def test_examples_that_rows_cannot_represent_are_refused() -> None:
    graph = Graph.from_triples([("a", "r", "b"), ("b", "r", "c")])
    zero, single = np.array([0]), np.array([1])
    words = graph.vocabulary
    for examples, message in (
        (Examples.from_edges(graph), "masked fact"),
        (one(Graph.from_facts([("r", ("a", "b", "c"))])), "more than two arguments"),
        (one(Graph.from_arrays(words, ("a", "b", "c"), zero, zero, single)), "an entity without an edge"),
        (one(Graph.from_arrays(words, ("a", "a"), zero, zero, single)), "with the name of another"),
        (one(Graph.from_triples([("a", "r", "")])), "an entity without a name"),
        (one(Graph.from_triples([("a", "r", "\ud800")])), "not valid Unicode"),
        (one(Graph.from_triples([("a", "\ud800", "b")])), "not valid Unicode"),
    ):
        with pytest.raises(R5Error, match=message):
            list(rows_of(examples))


def test_a_graph_that_examples_share_and_inverse_edges_can_be_written() -> None:
    graph = Graph.from_triples([("a", "r", "b")], inverse=True)
    examples = Examples.over(graph, [0, 1], [1, 0], [0, -1])
    edges = [("a", "r", "b"), ("b", "r^-1", "a")]
    assert list(rows_of(examples)) == [Row(edges, "a", "b", "r"), Row(edges, "b", "a")]
