from __future__ import annotations

import sys

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data, HeteroData

from r5.data.formats.graphs.pyg import from_pyg, to_pyg
from r5.errors import MissingExtraError, R5Error
from r5.graph import Graph

nodes = st.sampled_from("abcde")
relations = st.sampled_from(["r", "q", "r^-1"])


@given(st.lists(st.tuples(nodes, relations, nodes)), st.booleans())
def test_pyg_round_trip_gives_an_equal_graph(triples: list[tuple[str, str, str]], inverse: bool) -> None:
    graph = Graph.from_triples(triples, inverse=inverse)
    back = from_pyg(to_pyg(graph))
    assert back == graph
    assert back.vocabulary == graph.vocabulary


def test_pyg_data_has_edge_index_types_and_names() -> None:
    data = to_pyg(Graph.from_triples([("a", "r", "b"), ("c", "q", "a")]))
    assert data.edge_index.tolist() == [[0, 2], [1, 0]]
    assert data.edge_index.dtype == data.edge_type.dtype == torch.int64
    assert data.edge_type.tolist() == [1, 0]
    assert data.num_nodes == 3
    assert data.relation_names == ["q", "r"]
    assert data.entity_names == ["a", "b", "c"]


def test_pyg_data_without_names_gets_numbers_as_names() -> None:
    data = Data(edge_index=torch.tensor([[0, 3], [1, 0]]), edge_type=torch.tensor([2, 0]), num_nodes=5)
    graph = from_pyg(data)
    assert graph.entities == ("0", "1", "2", "3", "4")
    assert graph.triples() == [("0", "2", "1"), ("3", "0", "0")]
    named = from_pyg(data, relation_names=["x", "y", "z"], entity_names=list("abcde"), inverse=True)
    assert named.triples()[:2] == [("a", "z", "b"), ("d", "x", "a")]
    assert named.number_of_edges == 4


def test_number_of_nodes_is_taken_from_the_edges() -> None:
    graph = from_pyg(Data(edge_index=torch.tensor([[0], [3]]), edge_type=torch.tensor([0])))
    assert graph.number_of_nodes == 4


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (Data(edge_index=torch.tensor([[0], [1]])), "expected a Data with edge_index and edge_type"),
        (Data(), "expected a Data with edge_index and edge_type"),
        (HeteroData(), r"a HeteroData has them after to_homogeneous\(\)"),
        (
            Data(edge_index=torch.tensor([[0], [1]]), edge_type=torch.tensor([0, 1])),
            r"expected edge_index of shape \[2, edges\] .* found \[2, 1\] and \[2\]",
        ),
        (Data(edge_index=torch.tensor([0, 1]), edge_type=torch.tensor([0])), r"found \[2\] and \[1\]"),
        (
            Data(edge_index=torch.tensor([[0], [9]]), edge_type=torch.tensor([0]), num_nodes=2),
            "target ids must be in 0..1",
        ),
        (Data(edge_index=torch.tensor([[0], [1]]), edge_type=torch.tensor([0.5])), "expected integers"),
    ],
)
def test_invalid_pyg_data_is_refused(data: Data, complaint: str) -> None:
    with pytest.raises(R5Error, match=complaint):
        from_pyg(data)


@pytest.mark.parametrize("module", ["torch", "torch_geometric.data"])
def test_missing_torch_geometric_names_the_extra(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        MissingExtraError, match=r'^torch_geometric is not installed: pip install "r5-reasoning\[gnn\]"$'
    ):
        to_pyg(Graph.from_triples([("a", "r", "b")]))
