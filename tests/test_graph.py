"""Graph: arrays, rows, facts, inverses, hyperedges, facts added and removed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from r5.errors import R5Error
from r5.graph import Graph
from r5.relations import Vocabulary, inverse_name

triples = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from(["r", "s", "r^-1"]), st.sampled_from("abcd")), max_size=12
)


@given(triples)
def test_triples_come_back_as_given(rows: list[tuple[str, str, str]]) -> None:
    assert Graph.from_triples(rows).triples() == rows


@given(triples)
def test_rows_list_each_edge_once_under_its_ends(rows: list[tuple[str, str, str]]) -> None:
    graph = Graph.from_triples(rows)
    for side, ends in ((graph.outgoing, graph.sources), (graph.incoming, graph.targets)):
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


@settings(deadline=None)
@given(triples, triples, st.booleans())
@example([("a", "r", "b"), ("b", "r^-1", "a")], [("c", "s", "d")], False)
@example([("a", "r^-1", "b")], [("b", "r", "a"), ("b", "r", "a")], False)
def test_with_triples_is_the_graph_of_all_triples_each_new_one_once(
    rows: list[tuple[str, str, str]], more: list[tuple[str, str, str]], inverse: bool
) -> None:
    graph = Graph.from_triples(rows, inverse=inverse)
    wider = graph.with_triples(more)
    paired = bool(rows) and (inverse or set(back(rows)) == set(rows))
    wanted = [*more, *back(more)] if paired else more
    new = [row for row in dict.fromkeys(wanted) if row not in graph.triples()]
    assert sorted(wider.triples()[graph.number_of_edges :]) == sorted(new)
    assert wider == Graph.from_triples([*graph.triples(), *wider.triples()[graph.number_of_edges :]])


@settings(deadline=None)
@given(triples, triples, st.booleans())
def test_with_triples_keeps_all_ids(
    rows: list[tuple[str, str, str]], more: list[tuple[str, str, str]], inverse: bool
) -> None:
    graph = Graph.from_triples(rows, inverse=inverse)
    wider = graph.with_triples(more)
    assert wider.entities[: graph.number_of_nodes] == graph.entities
    assert wider.vocabulary.known[: len(graph.vocabulary)] == graph.vocabulary.known
    for name in ("sources", "relations", "targets", "facts"):
        assert getattr(wider, name)[: graph.number_of_edges].tolist() == getattr(graph, name).tolist()


@settings(deadline=None)
@given(triples, triples, st.booleans())
def test_facts_added_and_removed_again_leave_the_facts_that_were_there(
    rows: list[tuple[str, str, str]], more: list[tuple[str, str, str]], inverse: bool
) -> None:
    graph = Graph.from_triples(rows, inverse=inverse)
    there = {*rows, *back(rows)}
    new = [row for row in more if row not in there]
    again = graph.with_triples(new).without_triples(new)
    assert again.triples() == graph.triples()
    assert again.facts.tolist() == graph.facts.tolist()


@settings(deadline=None)
@given(triples, st.data(), st.booleans())
def test_without_triples_takes_duplicates_and_inverses_too(
    rows: list[tuple[str, str, str]], data: st.DataObject, inverse: bool
) -> None:
    graph = Graph.from_triples(rows, inverse=inverse)
    less = data.draw(st.lists(st.sampled_from(graph.triples()), max_size=4)) if rows else []
    names = {name for _, name, _ in graph.triples()}
    gone = {*less, *((s, r, t) for s, r, t in back(less) if {"r", "r^-1"} <= names or inverse)}
    left = graph.without_triples(less)
    assert left.triples() == [row for row in graph.triples() if row not in gone]
    assert (left.entities, left.vocabulary) == (graph.entities, graph.vocabulary)


def back(rows: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Each row read from its target."""
    return [(target, inverse_name(relation), source) for source, relation, target in rows]


def test_inverse_edges_are_added_to_a_graph_that_lost_all_its_facts() -> None:
    rows = [("a", "r", "b")]
    empty = Graph.from_triples(rows, inverse=True).without_triples(rows)
    assert empty.number_of_edges == 0
    assert empty.with_triples(rows).triples() == [("a", "r", "b"), ("b", "r^-1", "a")]


def test_an_edge_of_a_hyperedge_goes_with_the_others() -> None:
    graph = Graph.from_facts([("r", ("x", "y", "z")), ("s", ("x", "y"))])
    assert graph.without_triples([("y", "r", "z")]).triples() == [("x", "s", "y")]
    more = graph.with_triples(Graph.from_facts([("r", ("u", "v", "w"))]))
    assert len(set(more.facts.tolist())) == 3
    assert more.without_triples([("u", "r", "w")]).triples() == graph.triples()


def test_a_fact_of_entities_with_one_name_is_found_by_name() -> None:
    words, ids = Vocabulary.of(["r"]), np.array([2, 0])
    graph = Graph.from_arrays(words, ["a", "b", "a"], ids, np.array([0, 0]), np.array([1, 1]))
    assert graph.with_triples([("a", "r", "b")]).number_of_edges == 2
    assert graph.without_triples([("a", "r", "b")]).number_of_edges == 0


@pytest.mark.parametrize(
    "fact", [("a", "r", "c"), ("b", "r", "a"), ("a", "s", "b"), ("a", "r^-1", "b"), ("z", "r", "b")]
)
def test_a_fact_that_is_not_there_cannot_be_removed(fact: tuple[str, str, str]) -> None:
    graph = Graph.from_triples([("a", "r", "b"), ("b", "r", "c")])
    with pytest.raises(R5Error, match=f"^{re.escape('the graph has no fact {} -{}-> {}'.format(*fact))}$"):
        graph.without_triples([("a", "r", "b"), fact])


@pytest.mark.parametrize("edit", [Graph.with_triples, Graph.without_triples])
def test_what_is_no_triple_is_told(edit: Callable[[Graph, Any], Graph]) -> None:
    graph = Graph.from_triples([("a", "r", "b")])
    with pytest.raises(R5Error, match=r"triple 1 must be three names, \(source, relation, target\), not \('a', 'r'\)"):
        edit(graph, [("a", "r", "b"), ("a", "r")])


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
