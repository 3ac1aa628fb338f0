"""Graph networks: the logits of a graph do not depend on its batch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from r5.baselines.inputs.graphs import GraphBatch, read_graphs
from r5.baselines.inputs.relation_index import RelationIndex
from r5.baselines.methods import GRAPH_NETWORKS
from r5.baselines.networks.graph_network import GraphNetwork
from r5.baselines.networks.settings import GraphSettings
from r5.baselines.seeding import seed_torch
from tests.helpers.relatives import family

SIZE = 6


@pytest.fixture(autouse=True)
def _same_numbers() -> Iterator[None]:
    with seed_torch(0), torch.no_grad():
        yield


@pytest.mark.parametrize("method", GRAPH_NETWORKS)
def test_logits_of_a_graph_do_not_depend_on_its_batch(method: str) -> None:
    data = family()
    index = RelationIndex.of(data.pool.relations, data.answers)
    options = GraphSettings(method, embedding=SIZE, layers=3)
    network = GraphNetwork(options, len(index.inputs), 4).eval()
    inputs = read_graphs(data, index, data.vocabulary, options).inputs
    together = network(inputs.batch(np.arange(8)))
    for row in range(8):
        torch.testing.assert_close(network(inputs.batch(np.array([row])))[0], together[row])


@pytest.mark.parametrize("method", GRAPH_NETWORKS)
def test_the_direction_of_an_edge_matters(method: str) -> None:
    roles, owners, ends = (
        torch.tensor([1, 2]),
        torch.zeros(2, dtype=torch.int64),
        torch.tensor([0]),
    )
    network = GraphNetwork(GraphSettings(method, embedding=SIZE, layers=2, inverse=False), 1, 3).eval()
    one_way, other_way = (
        network(GraphBatch(roles, owners, torch.tensor(edge), torch.tensor([0]), ends, ends + 1))
        for edge in ([[0], [1]], [[1], [0]])
    )
    assert not torch.allclose(one_way, other_way, atol=1e-4)
