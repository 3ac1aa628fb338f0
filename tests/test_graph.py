"""Graph: arrays, rows, facts, inverses, hyperedges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r5.errors import R5Error
from r5.graph import Graph
from r5.relations import Vocabulary

triples = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from(["r", "s", "r^-1"]), st.sampled_from("abcd")), max_size=12
)


@given(triples)
def test_triples_come_back_as_given(rows: list[tuple[str, str, str]]) -> None:
    assert Graph.from_triples(rows).triples() == rows


@given(triples)
def test_rows_list_each_edge_once_under_its_ends(rows: list[tuple[str, str, str]]) -> None:
    graph = Graph.from_triples(rows)
    for side, ends in ((graph.leaving, graph.sources), (graph.arriving, graph.targets)):
        found = []
        for node in range(graph.number_of_nodes):
            edges = side.edges[side.offsets[node] : side.offsets[node + 1]].tolist()
            assert all(ends[edge] == node for edge in edges)
            assert edges == sorted(edges, key=lambda edge: (graph.relations[edge], edge))
            found += edges
        assert sorted(found) == list(range(len(rows)))


@given(triples)
def test_an_edge_its_duplicates_and_its_inverse_are_one_fact(rows: list[tuple[str, str, str]]) -> None:
    def fact(row: tuple[str, str, str]) -> tuple[str, str, str]:
        source, relation, target = row
        return (target, "r", source) if relation == "r^-1" and "r" in used else row

    used = {relation for _, relation, _ in rows}
    graph = Graph.from_triples(rows)
    numbers = graph.facts.tolist()
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            assert (numbers[i] == numbers[j]) == (fact(one) == fact(other))


@given(triples)
def test_with_inverses_every_edge_can_be_walked_back_and_nothing_is_added_twice(
    rows: list[tuple[str, str, str]],
) -> None:
    graph = Graph.from_triples(rows).with_inverses()
    edges = graph.triples()
    assert edges[: len(rows)] == rows
    back = {"r": "r^-1", "r^-1": "r", "s": "s^-1", "s^-1": "s"}
    assert all((target, back[relation], source) in edges for source, relation, target in edges)
    assert graph.with_inverses().number_of_edges == graph.number_of_edges


def test_an_added_inverse_shares_the_fact_of_its_edge() -> None:
    graph = Graph.from_triples([("a", "r", "b"), ("a", "s", "b")], inverse=True)
    assert graph.facts.tolist() == [0, 1, 0, 1]


def test_parallel_edges_are_kept() -> None:
    graph = Graph.from_triples([("a", "r", "b"), ("a", "r", "b"), ("a", "s", "b")])
    assert graph.number_of_edges == 3
    assert graph.facts[0] == graph.facts[1] != graph.facts[2]
    assert str(graph) == "Graph(nodes=2, edges=3, relations=2)"


def test_facts_of_three_arguments_lead_from_each_to_each_other() -> None:
    graph = Graph.from_facts([("r0", ("x0", "x1", "x2")), ("r2", ("x2", "x9")), ("r0", ("x0", "x1", "x2"))])
    assert ("x2", "r0", "x0") in graph.triples()
    assert ("x9", "r2", "x2") not in graph.triples()
    assert sorted(set(graph.facts.tolist())) == [0, 1]
    with pytest.raises(R5Error, match="has 1 argument; at least 2"):
        Graph.from_facts([("r", ("x",))])


def test_equal_graphs_may_number_their_facts_differently() -> None:
    rows = [("a", "r", "b"), ("b", "s", "c"), ("a", "r", "b")]
    one = Graph.from_triples(rows)
    other = Graph(one.vocabulary, one.entities, one.sources, one.relations, one.targets, 7 - one.facts)
    assert one == other
    assert one != Graph.from_triples(rows[:2])
    assert one != "graph"


def test_arrays_are_checked_and_cannot_be_written() -> None:
    words, none = Vocabulary.of(["r"]), np.array([], dtype=np.int32)
    with pytest.raises(R5Error, match=r"target ids must be in 0\.\.1, found 2\.\.2"):
        Graph.from_arrays(words, ["a", "b"], np.array([0]), np.array([0]), np.array([2]))
    with pytest.raises(R5Error, match="has 0 entries where 1 were expected"):
        Graph.from_arrays(words, ["a", "b"], np.array([0]), none, np.array([1]))
    graph = Graph.from_triples([("a", "r", "b")])
    with pytest.raises(ValueError, match="read-only"):
        graph.sources[0] = 1


def test_a_name_that_is_not_there_gets_near_ones_suggested() -> None:
    graph = Graph.from_triples([("Dorothy", "aunt", "Donald")])
    assert graph.node("Donald") == 1
    with pytest.raises(R5Error, match="no entity is called 'Dorothee'; did you mean 'Dorothy'"):
        graph.node("Dorothee")
    with pytest.raises(R5Error, match=r"no entity is called 'zzz'$"):
        graph.node("zzz")


def test_edges_of_some_relations_keep_their_nodes_and_facts() -> None:
    family = Graph.from_triples([("a", "likes", "b"), ("b", "mother", "c"), ("c", "likes", "d")], inverse=True)
    names = frozenset({"mother", "mother^-1"})
    part = family.with_relations(names)
    assert part.triples() == [("b", "mother", "c"), ("c", "mother^-1", "b")]
    assert (part.entities, part.vocabulary) == (family.entities, family.vocabulary)
    assert set(part.facts.tolist()) == {int(family.facts[1])}
    assert family.with_relations(names) is part
    assert family.with_relations(frozenset(family.vocabulary)) is family
    assert family.with_relations(frozenset()).number_of_edges == 0
