"""Graph inputs against a slow disjoint union."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r5.baselines.inputs.graphs import GraphBatch, GraphInputs, read_graphs
from r5.baselines.inputs.relation_index import RelationIndex
from r5.baselines.networks.settings import GraphSettings
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph
from tests.helpers.relatives import chain, examples

SETTINGS = GraphSettings("gcn")


def index_of(some: Examples) -> RelationIndex:
    return RelationIndex.of(some.pool.relations, some.answers)


def slow_union(
    some: Examples, index: RelationIndex, inverse: bool
) -> tuple[list[int], list[int], set[tuple[int, int, int]]]:
    """Return roles, owners and edges of the union, one example after the other."""
    roles: list[int] = []
    owners: list[int] = []
    edges: set[tuple[int, int, int]] = set()
    for number, example in enumerate(some):
        graph, query, first = example.graph, example.query, len(roles)
        roles += [int(n == query.source) + 2 * int(n == query.target) for n in range(graph.number_of_nodes)]
        owners += [number] * graph.number_of_nodes
        for s, r, t, fact in zip(graph.sources, graph.relations, graph.targets, graph.facts, strict=True):
            if int(r) in index.inputs and fact != example.masked_fact:
                relation = index.inputs.index(int(r))
                edges.add((first + int(s), relation, first + int(t)))
                if inverse:
                    edges.add((first + int(t), relation + len(index.inputs), first + int(s)))
    return roles, owners, edges


def edges_of(batch: GraphBatch) -> list[tuple[int, int, int]]:
    sources, targets = batch.edges.tolist()
    return list(zip(sources, batch.relations.tolist(), targets, strict=True))


triples = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from(["r", "s", "t"]), st.sampled_from("abcd")),
    min_size=1,
    max_size=6,
    unique=True,
)


@given(graphs=st.lists(triples, min_size=1, max_size=4), hide=st.booleans(), inverse=st.booleans(), data=st.data())
def test_a_batch_is_the_disjoint_union_of_its_graphs(
    graphs: list[list[tuple[str, str, str]]], hide: bool, inverse: bool, data: st.DataObject
) -> None:
    builder = []
    for edges in graphs:
        graph = Graph.from_triples([*edges, ("z", "r", "z"), ("z", "s", "z"), ("z", "t", "z")])
        builder += list(Examples.from_edges(graph)[:2] if hide else Examples.over(graph, [0], [1], [0]))
    some = Examples.of(builder)
    index = RelationIndex((0, 2), (0,))
    read = read_graphs(some, index, some.vocabulary, GraphSettings("gcn", inverse=inverse))
    rows = np.array(data.draw(st.lists(st.integers(0, len(some) - 1), min_size=1, max_size=5)))
    batch = read.inputs.batch(read.rows[rows])
    roles, owners, wanted = slow_union(some.select(rows), index, inverse)
    assert batch.features.tolist() == roles
    assert batch.graphs.tolist() == owners
    assert set(edges_of(batch)) == wanted
    assert batch.relations.tolist() == sorted(batch.relations.tolist())


def test_equal_queries_about_equal_graphs_are_one_input() -> None:
    beside = [("e0", "wife", "x")]
    rows = [chain("father sister", "aunt"), chain("father sister", "aunt"), chain("father sister", "aunt", beside)]
    some = examples(rows)
    read = read_graphs(some, index_of(some), some.vocabulary, SETTINGS)
    assert isinstance(read.inputs, GraphInputs)
    assert read.rows.tolist() == [0, 0, 1]
    assert len(read.inputs) == 2


def test_a_node_that_is_source_and_target_has_a_role_of_its_own() -> None:
    graph = Graph.from_triples([("a", "r", "b"), ("b", "s", "a")])
    some = Examples.over(graph, [0, 1], [0, 0], [0, 1])
    read = read_graphs(some, index_of(some), some.vocabulary, SETTINGS)
    assert read.inputs.batch(np.arange(2)).features.tolist() == [3, 0, 2, 1]


def test_a_graph_above_the_edge_limit_is_refused() -> None:
    some = examples([chain("father sister", "aunt")])
    with pytest.raises(R5Error, match=r"at most 1 edges \(the setting edge_limit\); one has 2"):
        read_graphs(some, index_of(some), some.vocabulary, GraphSettings("gcn", edge_limit=1))
