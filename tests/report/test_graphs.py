"""What is drawn around a path, and where."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from r5.graph import Graph
from r5.report.cases.layout import GAP, place_beside
from r5.report.cases.neighbourhood import edges_among, nodes_around

STAR = Graph.from_triples(
    [
        ("a", "r", "b"),
        ("b", "r", "c"),
        ("b", "s", "x"),
        ("x", "s", "c"),
        ("a", "s", "y"),
        ("y", "r", "z"),
        ("q", "r", "w"),
    ]
)


def names(nodes: list[int]) -> list[str]:
    return [STAR.entities[node] for node in nodes]


def walk(text: str) -> list[int]:
    return [STAR.node(name) for name in text]


def test_nearer_and_better_joined_entities_come_first() -> None:
    assert names(nodes_around(STAR, walk("abc"))) == ["x", "y", "z"]
    assert names(nodes_around(STAR, walk("abc"), most=1)) == ["x"]
    assert nodes_around(STAR, walk("abc"), most=0) == []


def test_a_hidden_fact_is_neither_drawn_nor_followed() -> None:
    hidden = int(STAR.facts[4])
    assert STAR.triples()[4] == ("a", "s", "y")
    assert names(nodes_around(STAR, walk("abc"), hidden)) == ["x"]
    assert 4 not in edges_among(STAR, walk("abcy"), hidden)


def test_edges_join_the_nodes_shown_and_each_fact_is_there_once() -> None:
    assert edges_among(STAR, walk("abcx")) == [0, 1, 2, 3]
    assert edges_among(STAR, walk("abcx"), most=2) == [0, 1]
    both_ways = STAR.with_inverses()
    assert edges_among(both_ways, walk("abcx")) == [0, 1, 2, 3]
    loop = Graph.from_triples([("a", "r", "a"), ("a", "r", "b")])
    assert edges_among(loop, [0, 1]) == [1]


@given(
    st.integers(1, 11),
    st.integers(0, 24),
    st.lists(st.tuples(st.integers(0, 34), st.integers(0, 34)), max_size=60),
)
def test_entities_of_a_row_never_touch(steps: int, count: int, edges: list[tuple[int, int]]) -> None:
    path = list(range(steps + 1))
    others = list(range(steps + 1, steps + 1 + count))
    places = place_beside(path, others, edges)
    assert list(places) == others or sorted(places) == others
    for (x1, row1), (x2, row2) in combinations(places.values(), 2):
        assert row1 != row2 or abs(x1 - x2) >= GAP - 0.02
    reach = max(steps, 4)
    for x, row in places.values():
        assert row >= 1
        assert abs(x - steps / 2) <= reach / 2 + 0.02


def test_an_entity_lies_under_what_it_is_joined_to() -> None:
    places = place_beside([0, 1, 2, 3, 4], [5, 6, 7], [(0, 5), (4, 6), (1, 7), (3, 7)])
    assert places == {5: (0.0, 1), 6: (4.0, 1), 7: (2.0, 1)}
