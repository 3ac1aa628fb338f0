"""The graph convolution of Kipf and Welling (2017), with relations in the messages."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch_geometric.utils import degree, scatter

from r5.baselines.graphs import GraphBatch
from r5.baselines.settings import GraphSettings

__all__ = ["GCN"]


class GCN(nn.Module):
    """h'_i = W h_i / d_i + sum_j (W h_j + e_r) / sqrt(d_i d_j) over the edges j -r-> i; d counts them and i itself.

    The original knows no relations; as in the CLUTRR baselines of Minervini et al. (2020), their embeddings e_r
    are part of the messages.
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
