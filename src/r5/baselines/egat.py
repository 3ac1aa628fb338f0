"""Edge attention as in GraphLog's E-GAT, Sinha et al. (2020): graph attention that looks at the relations too."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from r5.baselines.gat import GAT
from r5.baselines.settings import GraphSettings

__all__ = ["EGAT"]


class EGAT(GAT):
    """Attention with a = softmax_j leaky(u.W h_i + v.W h_j + w.e_r) over the edges j -r-> i and i itself (e_r = 0)."""

    def __init__(self, settings: GraphSettings, relations: int) -> None:
        super().__init__(settings, relations)
        self.edge = nn.Parameter(torch.empty(self.heads, self.size))
        nn.init.xavier_uniform_(self.edge)

    def relation_score(self, relation: Tensor) -> Tensor:
        """What the relations add to the scores before the softmax, [edges, heads]."""
        return (relation * self.edge).sum(dim=2)
