"""Graph attention, Velickovic et al. (2018), with relations in the messages."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch_geometric.utils import scatter, softmax

from r5.baselines.graphs import GraphBatch
from r5.baselines.settings import GraphSettings

__all__ = ["GAT"]


class GAT(nn.Module):
    """h'_i = sum_j a_ij (W h_j + e_r) over the edges j -r-> i and i itself; a = softmax_j leaky(u.W h_i + v.W h_j).

    Each head has weights of its own; the heads are averaged. As with GCN, the original knows no relations.
    """

    def __init__(self, settings: GraphSettings, relations: int) -> None:
        super().__init__()
        self.heads, self.size = settings.heads, settings.embedding
        self.linear = nn.Linear(self.size, self.heads * self.size, bias=False)
        self.receiver = nn.Parameter(torch.empty(self.heads, self.size))
        self.sender = nn.Parameter(torch.empty(self.heads, self.size))
        self.relations = nn.Embedding(relations + 1, self.heads * self.size, padding_idx=relations)
        self.bias = nn.Parameter(torch.zeros(self.size))
        nn.init.xavier_uniform_(self.receiver)
        nn.init.xavier_uniform_(self.sender)

    def forward(self, x: Tensor, batch: GraphBatch) -> Tensor:
        """[nodes, embedding] to the same."""
        count = x.shape[0]
        itself = torch.arange(count)
        source, target = torch.cat([batch.edges, itself.expand(2, -1)], dim=1)
        no_relation = itself.new_full((count,), self.relations.num_embeddings - 1)
        relation = self.relations(torch.cat([batch.relations, no_relation])).view(-1, self.heads, self.size)
        x = self.linear(x).view(-1, self.heads, self.size)
        scores = (x * self.receiver).sum(dim=2)[target] + (x * self.sender).sum(dim=2)[source]
        scores = nn.functional.leaky_relu(scores + self.relation_score(relation), 0.2)
        weights = softmax(scores, target, num_nodes=count)[:, :, None]
        received: Tensor = scatter(weights * (x[source] + relation), target, dim=0, dim_size=count, reduce="sum")
        return received.mean(dim=1) + self.bias

    def relation_score(self, relation: Tensor) -> Tensor:
        """What the relations add to the scores before the softmax, [edges, heads]: here nothing."""
        return relation.new_zeros(1)
