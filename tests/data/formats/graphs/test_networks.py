from __future__ import annotations

import sys

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.data.formats.graphs.networks import from_networkx, to_networkx
from r5.errors import MissingExtraError, R5Error
from r5.graph import Graph
from r5.relations import Vocabulary

nodes = st.sampled_from("abcde")
relations = st.sampled_from(["r", "q", "r^-1", "x y"])


@settings(deadline=None)
@given(st.lists(st.tuples(nodes, relations, nodes)))
def test_networkx_round_trip_keeps_entities_and_triples(triples: list[tuple[str, str, str]]) -> None:
    """networkx gathers edges by their source, so the order is compared by name; nodes keep theirs."""
    graph = Graph.from_triples(triples)
    back = from_networkx(to_networkx(graph))
    assert back.entities == graph.entities
    assert sorted(back.triples()) == sorted(graph.triples())
    assert len(set(back.facts.tolist())) == len(set(graph.facts.tolist()))
    assert from_networkx(to_networkx(back)) == back


@settings(deadline=None)
@given(st.lists(st.tuples(nodes, nodes, relations)))
def test_round_trip_from_networkx(edges: list[tuple[str, str, str]]) -> None:
    network = networkx.MultiDiGraph()
    network.add_nodes_from("edcba")
    network.add_edges_from((source, target, {"relation": relation}) for source, target, relation in edges)
    back = to_networkx(from_networkx(network))
    assert list(back) == list(network)
    assert list(back.edges(data=True)) == list(network.edges(data=True))


def test_isolated_nodes_stay() -> None:
    graph = Graph.from_arrays(Vocabulary(("r",)), ("a", "lonely", "b"), *np.array([[0], [0], [2]]))
    assert from_networkx(to_networkx(graph)) == graph


def test_inverse_edges_are_one_fact_again() -> None:
    graph = Graph.from_triples([("a", "r", "b"), ("b", "q", "c")], inverse=True)
    back = from_networkx(to_networkx(graph))
    assert sorted(back.triples()) == sorted(graph.triples())
    assert len(set(back.facts.tolist())) == 2


def test_directed_graph_uses_the_given_attribute() -> None:
    network = networkx.DiGraph([(1, 2, {"kind": 7}), (2, 3, {"kind": "q"})])
    graph = from_networkx(network, relation="kind", inverse=True)
    assert graph.triples() == [("1", "7", "2"), ("2", "q", "3"), ("2", "7^-1", "1"), ("3", "q^-1", "2")]


@pytest.mark.parametrize("kind", [networkx.Graph, networkx.MultiGraph])
def test_undirected_edge_has_two_directions_and_one_fact(kind: type[networkx.Graph[str]]) -> None:
    network = kind([("b", "a", {"relation": "spouse"}), ("a", "a", {"relation": "self"})])
    network.add_edge("a", "b", relation="spouse")
    graph = from_networkx(network)
    assert set(graph.triples()) == {("b", "spouse", "a"), ("a", "spouse", "b"), ("a", "self", "a")}
    assert len(set(graph.facts.tolist())) == 2


@pytest.mark.parametrize(
    ("attributes", "complaint"),
    [
        ({}, "the edge from 'a' to 'b' has no attribute 'relation'$"),
        ({"kind": "r", "weight": 1}, "has no attribute 'relation'; it has kind, weight"),
        ({"relation": None}, "has no attribute 'relation'"),
        ({"relation": ""}, "has no attribute 'relation'"),
    ],
)
def test_edge_without_a_relation_is_refused(attributes: dict[str, object], complaint: str) -> None:
    with pytest.raises(R5Error, match=complaint):
        from_networkx(networkx.MultiDiGraph([("x", "y", {"relation": "r"}), ("a", "b", attributes)]))


def test_nodes_with_equal_names_are_refused() -> None:
    with pytest.raises(R5Error, match="the nodes 1 and '1' would have the same name"):
        from_networkx(networkx.DiGraph([(1, "1", {"relation": "r"})]))
    with pytest.raises(R5Error, match="a node has an empty name"):
        from_networkx(networkx.DiGraph([("", "1", {"relation": "r"})]))
    graph = Graph.from_triples([("a", "r", "b")])
    twins = Graph(graph.vocabulary, ("a", "a"), graph.sources, graph.relations, graph.targets, graph.facts)
    with pytest.raises(R5Error, match="two entities have the same name"):
        to_networkx(twins)


def test_empty_networkx_graph_gives_an_empty_graph() -> None:
    assert from_networkx(networkx.MultiDiGraph()).number_of_edges == 0


def test_missing_networkx_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtraError, match=r'^networkx is not installed: pip install "r5-reasoning\[networkx\]"$'):
        to_networkx(Graph.from_triples([("a", "r", "b")]))
