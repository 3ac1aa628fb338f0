"""Neighbourhood of a path in a graph."""

from __future__ import annotations

from r5.graph import Graph
from r5.report.examples.neighbourhood import edges_among, nodes_around

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


def test_nearer_and_better_connected_entities_come_first() -> None:
    assert names(nodes_around(STAR, walk("abc"))) == ["x", "y", "z"]
    assert names(nodes_around(STAR, walk("abc"), limit=1)) == ["x"]
    assert nodes_around(STAR, walk("abc"), limit=0) == []


def test_a_hidden_fact_is_neither_drawn_nor_followed() -> None:
    hidden = int(STAR.facts[4])
    assert STAR.triples()[4] == ("a", "s", "y")
    assert names(nodes_around(STAR, walk("abc"), hidden)) == ["x"]
    assert 4 not in edges_among(STAR, walk("abcy"), hidden)


def test_edges_among_nodes_list_each_fact_once() -> None:
    assert edges_among(STAR, walk("abcx")) == [0, 1, 2, 3]
    assert edges_among(STAR, walk("abcx"), limit=2) == [0, 1]
    both_ways = STAR.with_inverses()
    assert edges_among(both_ways, walk("abcx")) == [0, 1, 2, 3]
    loop = Graph.from_triples([("a", "r", "a"), ("a", "r", "b")])
    assert edges_among(loop, [0, 1]) == [1]
