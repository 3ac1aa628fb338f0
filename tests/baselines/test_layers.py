"""The layers against torch_geometric's own, and the encoders: a path alone is read as it is in a batch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch import Tensor
from torch_geometric.nn import GATConv, GCNConv, RGCNConv

from r5.baselines.graph_inputs import GraphBatch, read_graphs
from r5.baselines.graph_layers import EGAT, GAT, GCN, RGCN
from r5.baselines.graph_network import GraphNetwork
from r5.baselines.inputs import Codes
from r5.baselines.path_inputs import PathInputs
from r5.baselines.path_network import PathNetwork
from r5.baselines.settings import GRAPH_NETWORKS, SEQUENCE_ENCODERS, GraphSettings, SequenceSettings
from r5.baselines.training import seeded
from tests.baselines.data import family

SIZE = 6


@pytest.fixture(autouse=True)
def _same_numbers() -> Iterator[None]:
    with seeded(0), torch.no_grad():
        yield


def some_graph(inverse: bool = True) -> tuple[Tensor, GraphBatch, int]:
    """Random numbers for each node of four graphs, the graphs, and how many kinds of edges they have."""
    data = family()
    codes = Codes.of(data.pool.relations, data.answers)
    read = read_graphs(data, codes, data.vocabulary, GraphSettings("gcn", inverse=inverse))
    batch = read.inputs.batch(np.arange(4))
    return torch.randn(batch.roles.numel(), SIZE), batch, len(codes.relations) * (2 if inverse else 1)


def settings(architecture: str, heads: int = 2) -> GraphSettings:
    return GraphSettings(architecture, embedding=SIZE, heads=heads)


@pytest.mark.parametrize("inverse", [False, True])
def test_rgcn_is_that_of_torch_geometric(inverse: bool) -> None:
    x, batch, kinds = some_graph(inverse)
    ours, theirs = RGCN(settings("rgcn"), kinds), RGCNConv(SIZE, SIZE, kinds)
    theirs.weight.copy_(ours.weight)
    theirs.root.copy_(ours.root.weight.T)
    theirs.bias.copy_(ours.root.bias)
    torch.testing.assert_close(ours(x, batch), theirs(x, batch.edges, batch.relations))


def test_gcn_without_relations_is_that_of_torch_geometric() -> None:
    x, batch, kinds = some_graph()
    ours, theirs = GCN(settings("gcn"), kinds), GCNConv(SIZE, SIZE)
    ours.relations.weight.zero_()
    ours.linear.bias.zero_()
    theirs.lin.weight.copy_(ours.linear.weight)
    torch.testing.assert_close(ours(x, batch), theirs(x, batch.edges))


def test_gat_without_relations_is_that_of_torch_geometric() -> None:
    x, batch, kinds = some_graph()
    ours, theirs = GAT(settings("gat"), kinds), GATConv(SIZE, SIZE, heads=2, concat=False)
    ours.relations.weight.zero_()
    theirs.lin.weight.copy_(ours.linear.weight)
    theirs.att_src[0].copy_(ours.sender)
    theirs.att_dst[0].copy_(ours.receiver)
    torch.testing.assert_close(ours(x, batch), theirs(x, batch.edges))


def test_egat_attends_to_relations_as_torch_geometric_to_edge_features() -> None:
    """Theirs has relations in the attention only, so what they add to the messages is added by hand."""
    x, batch, kinds = some_graph()
    ours = EGAT(settings("egat", heads=1), kinds)
    theirs = GATConv(SIZE, SIZE, concat=False, edge_dim=SIZE, fill_value=0.0)
    relation = ours.relations(batch.relations)
    for mine, other in ((ours.linear.weight, theirs.lin.weight), (torch.eye(SIZE), theirs.lin_edge.weight)):
        other.copy_(mine)
    theirs.att_src[0].copy_(ours.sender)
    theirs.att_dst[0].copy_(ours.receiver)
    theirs.att_edge[0].copy_(ours.edge)
    out, (ends, weights) = theirs(x, batch.edges, relation, return_attention_weights=True)
    messages = weights[: relation.shape[0]] * relation
    added = torch.zeros_like(out).index_add(0, ends[1][: relation.shape[0]], messages)
    torch.testing.assert_close(ours(x, batch), out + added)


@pytest.mark.parametrize("architecture", SEQUENCE_ENCODERS)
def test_a_path_alone_is_read_as_in_a_batch(architecture: str) -> None:
    network = PathNetwork(SequenceSettings(architecture, embedding=8, hidden=8), 3, 4).eval()
    paths = np.array([[1, 2, 0, 0, 0, 0], [3, 1, 2, 2, 1, 3], [3, 0, 1, 0, 0, 0]])
    inputs = PathInputs(paths, np.array([2, 6, 3]))
    together = network(inputs.batch(np.arange(3)))
    for row in range(3):
        torch.testing.assert_close(network(inputs.batch(np.array([row])))[0], together[row])
    assert not torch.allclose(together[0], together[2])


@pytest.mark.parametrize("architecture", SEQUENCE_ENCODERS)
def test_the_order_of_the_relations_matters(architecture: str) -> None:
    network = PathNetwork(SequenceSettings(architecture, embedding=8, hidden=8), 3, 4).eval()
    logits = network(PathInputs(np.array([[1, 2], [2, 1]]), np.array([2, 2])).batch(np.arange(2)))
    assert not torch.allclose(logits[0], logits[1], atol=1e-4)


@pytest.mark.parametrize("architecture", GRAPH_NETWORKS)
def test_a_graph_alone_is_read_as_in_a_batch(architecture: str) -> None:
    data = family()
    codes = Codes.of(data.pool.relations, data.answers)
    options = GraphSettings(architecture, embedding=SIZE, layers=3)
    network = GraphNetwork(options, len(codes.relations), 4).eval()
    inputs = read_graphs(data, codes, data.vocabulary, options).inputs
    together = network(inputs.batch(np.arange(8)))
    for row in range(8):
        torch.testing.assert_close(network(inputs.batch(np.array([row])))[0], together[row])


@pytest.mark.parametrize("architecture", GRAPH_NETWORKS)
def test_the_direction_of_an_edge_matters(architecture: str) -> None:
    roles, owners, ends = (
        torch.tensor([1, 2]),
        torch.zeros(2, dtype=torch.int64),
        torch.tensor([0]),
    )
    network = GraphNetwork(GraphSettings(architecture, embedding=SIZE, layers=2, inverse=False), 1, 3).eval()
    one_way, other_way = (
        network(GraphBatch(roles, owners, torch.tensor(edge), torch.tensor([0]), ends, ends + 1))
        for edge in ([[0], [1]], [[1], [0]])
    )
    assert not torch.allclose(one_way, other_way, atol=1e-4)
