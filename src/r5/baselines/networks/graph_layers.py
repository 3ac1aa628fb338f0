"""Message-passing layers: convolution, relational convolution, attention and edge attention."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch_geometric.utils import degree, scatter, softmax

from r5.baselines.inputs.graphs import GraphBatch
from r5.baselines.networks.settings import GraphSettings

__all__ = ["EGAT", "GAT", "GCN", "RGCN"]


class GCN(nn.Module):
    """Graph convolution, Kipf and Welling (2017).

    h'_i = W h_i / d_i + sum_j (W h_j + e_r) / sqrt(d_i d_j) over the edges j -r-> i; d is the in-degree plus one. The
    original has no relations; as in the CLUTRR baselines of Minervini et al. (2020), relation embeddings e_r are part
    of the messages.
    """

    def __init__(self, settings: GraphSettings, relations: int) -> None:
        super().__init__()
        self.linear = nn.Linear(settings.embedding, settings.embedding)
        self.relations = nn.Embedding(relations, settings.embedding)

    def forward(self, x: Tensor, batch: GraphBatch) -> Tensor:
        """Pass messages along the edges, [nodes, embedding] to the same."""
        count = x.shape[0]
        source, target = batch.edges
        norm = (degree(target, count) + 1).rsqrt()
        x = self.linear(x)
        messages = (x[source] + self.relations(batch.relations)) * (norm[source] * norm[target])[:, None]
        received: Tensor = scatter(messages, target, dim=0, dim_size=count, reduce="sum")
        return received + x * torch.square(norm)[:, None]


class RGCN(nn.Module):
    """Relational graph convolution, Schlichtkrull et al. (2018), Equation 2.

    h'_i = W_0 h_i + sum_r 1/c_ir sum_j W_r h_j over the c_ir edges j -r-> i.
    """

    def __init__(self, settings: GraphSettings, relations: int) -> None:
        super().__init__()
        self.number_of_relations = relations
        self.root = nn.Linear(settings.embedding, settings.embedding)
        self.weight = nn.Parameter(torch.empty(relations, settings.embedding, settings.embedding))
        bound = math.sqrt(3 / settings.embedding)  # Glorot initialisation of each matrix
        nn.init.uniform_(self.weight, -bound, bound)

    def forward(self, x: Tensor, batch: GraphBatch) -> Tensor:
        """Pass messages along the edges, [nodes, embedding] to the same."""
        count = x.shape[0]
        source, target = batch.edges
        # Edges are sorted by relation, so the matrix of a relation is applied to a block of rows.
        blocks = torch.bincount(batch.relations, minlength=self.number_of_relations).tolist()
        matrices = zip(torch.split(x[source], blocks), self.weight, strict=True)
        messages = torch.cat([x[:0], *(part @ matrix for part, matrix in matrices)])
        group = target * self.number_of_relations + batch.relations
        _, member, size = torch.unique(group, return_inverse=True, return_counts=True)
        messages = messages * size.to(x.dtype).reciprocal()[member][:, None]
        received: Tensor = scatter(messages, target, dim=0, dim_size=count, reduce="sum")
        own: Tensor = self.root(x)
        return own + received


class GAT(nn.Module):
    """Graph attention, Velickovic et al. (2018).

    h'_i = sum_j a_ij (W h_j + e_r) over the edges j -r-> i and i itself; a = softmax_j leaky(u.W h_i + v.W h_j). Each
    head has weights of its own; the heads are averaged. The original has no relations, see `GCN`.
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
        """Pass messages along the edges, [nodes, embedding] to the same."""
        count = x.shape[0]
        loops = torch.arange(count)
        source, target = torch.cat([batch.edges, loops.expand(2, -1)], dim=1)
        no_relation = loops.new_full((count,), self.relations.num_embeddings - 1)
        relation = self.relations(torch.cat([batch.relations, no_relation])).view(-1, self.heads, self.size)
        x = self.linear(x).view(-1, self.heads, self.size)
        scores = (x * self.receiver).sum(dim=2)[target] + (x * self.sender).sum(dim=2)[source]
        scores = nn.functional.leaky_relu(scores + self.relation_score(relation), 0.2)
        weights = softmax(scores, target, num_nodes=count)[:, :, None]
        received: Tensor = scatter(weights * (x[source] + relation), target, dim=0, dim_size=count, reduce="sum")
        return received.mean(dim=1) + self.bias

    def relation_score(self, relation: Tensor) -> Tensor:
        """Return zero: attention does not depend on relations."""
        return relation.new_zeros(1)


class EGAT(GAT):
    """Edge attention, the E-GAT of GraphLog, Sinha et al. (2020).

    As `GAT`, with a = softmax_j leaky(u.W h_i + v.W h_j + w.e_r) over the edges j -r-> i and i itself (e_r = 0).
    """

    def __init__(self, settings: GraphSettings, relations: int) -> None:
        super().__init__(settings, relations)
        self.edge = nn.Parameter(torch.empty(self.heads, self.size))
        nn.init.xavier_uniform_(self.edge)

    def relation_score(self, relation: Tensor) -> Tensor:
        """Return the relation term of the attention logits, [edges, heads]."""
        return (relation * self.edge).sum(dim=2)
