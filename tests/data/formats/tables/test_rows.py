from __future__ import annotations

import numpy as np
import pytest

from r5.data.formats.tables.rows import graph_from_ids, graph_from_tuples
from r5.errors import R5Error

FAMILY = [("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")]


def test_tuples_of_any_names_become_triples() -> None:
    assert graph_from_tuples(FAMILY).triples() == FAMILY
    assert graph_from_tuples([[1, 2, 3], (np.str_("a"), 0, 1.5)]).triples() == [("1", "2", "3"), ("a", "0", "1.5")]
    assert graph_from_tuples(iter(FAMILY), inverse=True).number_of_edges == 4


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (("a", "b"), r"row 2 \(counted from 1\): expected \(source, relation, target\), found \('a', 'b'\)"),
        ("abc", "row 2 .* found 'abc'"),
        (7, "row 2 .* found 7"),
        (("a", None, "b"), r"row 2 \(counted from 1\): the relation is missing"),
        (("a", "r", float("nan")), "row 2 .* the target is missing"),
        (("", "r", "b"), "row 2 .* the source is missing"),
    ],
)
def test_invalid_tuple_is_refused(row: object, complaint: str) -> None:
    with pytest.raises(R5Error, match=complaint):
        graph_from_tuples([("a", "r", "b"), row])  # type: ignore[list-item]


def test_ids_are_replaced_by_given_names() -> None:
    graph = graph_from_ids(
        np.array([[0, 1, 2], [2, 0, 0]]), relation_names=["r", "q"], entity_names=["x", "lonely", "z"]
    )
    assert graph.triples() == [("x", "q", "z"), ("z", "r", "x")]
    assert graph.entities == ("x", "lonely", "z")
    assert graph.vocabulary.known == ("r", "q")


def test_ids_without_names_may_be_sparse() -> None:
    graph = graph_from_ids([[10**12, 5, 3], [3, 5, 3]], inverse=True)
    assert graph.entities == ("3", "1000000000000")
    assert graph.triples()[0] == ("1000000000000", "5", "3")
    assert graph.number_of_edges == 4
    assert graph_from_ids(np.empty((0, 3), dtype=int)).number_of_edges == 0


@pytest.mark.parametrize(
    ("ids", "options", "complaint"),
    [
        ([[0, 1]], {}, r"expected integers of shape \[edges, 3\], found int64 of shape \[1, 2\]"),
        ([[0.5, 1, 2]], {}, "found float64"),
        ([["a", "b", "c"]], {}, "expected integers"),
        ([[0, 0, -1]], {}, "ids must not be negative, found -1"),
        ([[0, 1, 0]], {"relation_names": ["r"]}, "relation ids must be in 0..0, found 1..1"),
        ([[0, 0, 2]], {"entity_names": ["a", "b"]}, "target ids must be in 0..1"),
        ([[0, 0, 1]], {"entity_names": ["a", "a"]}, "two entities have the same name"),
        ([[0, 0, 1]], {"relation_names": ["r", "r"]}, "relation 'r' is listed twice"),
    ],
)
def test_invalid_ids_are_refused(ids: object, options: dict[str, list[str]], complaint: str) -> None:
    with pytest.raises(R5Error, match=complaint):
        graph_from_ids(ids, **options)  # type: ignore[arg-type]
