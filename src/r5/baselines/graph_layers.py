"""Layers of graph networks, by what a node makes of its neighbours: means by relation, or attention."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch_geometric.utils import degree, scatter, softmax

from r5.baselines.graph_inputs import GraphBatch
from r5.baselines.settings import GraphSettings

__all__ = ["EGAT", "GAT", "GCN", "RGCN"]


class GCN(nn.Module):
    """h'_i = W h_i / d_i + sum_j (W h_j + e_r) / sqrt(d_i d_j) over the edges j -r-> i; d counts them and i itself.

    The graph convolution of Kipf and Welling (2017). The original knows no relations; as in the CLUTRR baselines of
    Minervini et al. (2020), their embeddings e_r are part of the messages.
    """

    def __init__(self, settings: GraphSettings, relations: int) -> None:
        super().__init__()
        self.linear = nn.Linear(settings.embedding, settings.embedding)
        self.relations = nn.Embedding(relations, settings.embedding)

    def forward(self, x: Tensor, batch: GraphBatch) -> Tensor:
        """[nodes, embedding] to the same."""
        count = x.shape[0]
        source, target = batch.edges
        norm = (degree(target, count) + 1).rsqrt()
        x = self.linear(x)
        messages = (x[source] + self.relations(batch.relations)) * (norm[source] * norm[target])[:, None]
        received: Tensor = scatter(messages, target, dim=0, dim_size=count, reduce="sum")
        return received + x * torch.square(norm)[:, None]


class RGCN(nn.Module):
    """h'_i = W_0 h_i + sum_r 1/c_ir sum_j W_r h_j over the c_ir edges j -r-> i.

    The relational graph convolution of Schlichtkrull et al. (2018), their Equation 2.
    """

    def __init__(self, settings: GraphSettings, relations: int) -> None:
        super().__init__()
        self.number_of_relations = relations
        self.root = nn.Linear(settings.embedding, settings.embedding)
        self.weight = nn.Parameter(torch.empty(relations, settings.embedding, settings.embedding))
        bound = math.sqrt(3 / settings.embedding)  # Glorot's, for each matrix
        nn.init.uniform_(self.weight, -bound, bound)

    def forward(self, x: Tensor, batch: GraphBatch) -> Tensor:
        """[nodes, embedding] to the same."""
        count = x.shape[0]
        source, target = batch.edges
        # The edges come by relation, so each relation's matrix is applied to a block of rows.
        blocks = torch.bincount(batch.relations, minlength=self.number_of_relations).tolist()
        matrices = zip(torch.split(x[source], blocks), self.weight, strict=True)
        messages = torch.cat([x[:0], *(part @ matrix for part, matrix in matrices)])
        kind = target * self.number_of_relations + batch.relations
        _, place, size = torch.unique(kind, return_inverse=True, return_counts=True)
        messages = messages * size.to(x.dtype).reciprocal()[place][:, None]
        received: Tensor = scatter(messages, target, dim=0, dim_size=count, reduce="sum")
        rooted: Tensor = self.root(x)
        return rooted + received


class GAT(nn.Module):
    """h'_i = sum_j a_ij (W h_j + e_r) over the edges j -r-> i and i itself; a = softmax_j leaky(u.W h_i + v.W h_j).

    Graph attention, Velickovic et al. (2018). Each head has weights of its own; the heads are averaged. As with GCN,
    the original knows no relations.
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


class EGAT(GAT):
    """Attention with a = softmax_j leaky(u.W h_i + v.W h_j + w.e_r) over the edges j -r-> i and i itself (e_r = 0).

    The edge attention of GraphLog's E-GAT, Sinha et al. (2020): it looks at the relations too.
    """

    def __init__(self, settings: GraphSettings, relations: int) -> None:
        super().__init__(settings, relations)
        self.edge = nn.Parameter(torch.empty(self.heads, self.size))
        nn.init.xavier_uniform_(self.edge)

    def relation_score(self, relation: Tensor) -> Tensor:
        """What the relations add to the scores before the softmax, [edges, heads]."""
        return (relation * self.edge).sum(dim=2)
