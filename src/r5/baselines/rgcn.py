"""The relational graph convolution of Schlichtkrull et al. (2018)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch_geometric.utils import scatter

from r5.baselines.graphs import GraphBatch
from r5.baselines.settings import GraphSettings

__all__ = ["RGCN"]


class RGCN(nn.Module):
    """h'_i = W_0 h_i + sum_r 1/c_ir sum_j W_r h_j over the c_ir edges j -r-> i (their Equation 2)."""

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
