"""Message-passing layers against those of torch_geometric."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch import Tensor
from torch_geometric.nn import GATConv, GCNConv, RGCNConv

from r5.baselines.inputs.graphs import GraphBatch, read_graphs
from r5.baselines.inputs.relation_index import RelationIndex
from r5.baselines.networks.graph_layers import EGAT, GAT, GCN, RGCN
from r5.baselines.networks.settings import GraphSettings
from r5.baselines.seeding import seed_torch
from tests.helpers.relatives import family

SIZE = 6


@pytest.fixture(autouse=True)
def _same_numbers() -> Iterator[None]:
    with seed_torch(0), torch.no_grad():
        yield


def some_graph(inverse: bool = True) -> tuple[Tensor, GraphBatch, int]:
    """Return random node features of four graphs, the graphs, and their number of edge types."""
    data = family()
    index = RelationIndex.of(data.pool.relations, data.answers)
    read = read_graphs(data, index, data.vocabulary, GraphSettings("gcn", inverse=inverse))
    batch = read.inputs.batch(np.arange(4))
    return torch.randn(batch.features.numel(), SIZE), batch, len(index.inputs) * (2 if inverse else 1)


def settings(method: str, heads: int = 2) -> GraphSettings:
    return GraphSettings(method, embedding=SIZE, heads=heads)


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
    """GATConv has relations in the attention only, so their part of the messages is added here."""
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
