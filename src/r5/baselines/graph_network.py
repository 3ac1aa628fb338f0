"""GraphNetwork: from a graph with two marked nodes to what these are to each other."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch_geometric.utils import scatter

from r5.baselines.graph_inputs import ROLES, GraphBatch
from r5.baselines.graph_layers import EGAT, GAT, GCN, RGCN
from r5.baselines.settings import GraphSettings

__all__ = ["GraphNetwork"]

_LAYERS = {"gcn": GCN, "gat": GAT, "rgcn": RGCN, "egat": EGAT, "story-gcn": GCN, "story-gat": EGAT}


class GraphNetwork(nn.Module):
    """A node starts with a vector of its role or number; at last the two and the mean of all are classified."""

    def __init__(self, settings: GraphSettings, relations: int, answers: int) -> None:
        super().__init__()
        size = settings.embedding
        layer = _LAYERS[settings.architecture]
        kinds = 2 * relations if settings.inverse else relations
        self.marks = nn.Embedding(ROLES if settings.marks == "roles" else settings.entities, size)
        self.layers = nn.ModuleList(layer(settings, kinds) for _ in range(settings.layers))
        self.rounds = settings.rounds
        self.dropout = nn.Dropout(settings.dropout)
        self.hidden = nn.Linear(3 * size, size)
        self.classifier = nn.Linear(size, answers)

    def forward(self, batch: GraphBatch) -> Tensor:
        """Logits, [graphs, answers]."""
        x = self.marks(batch.marks)
        for layer in [*self.layers] * self.rounds:
            x = torch.relu(layer(self.dropout(x), batch))
        everything = scatter(x, batch.graphs, dim=0, dim_size=batch.sources.numel(), reduce="mean")
        code = torch.cat([everything, x[batch.sources], x[batch.targets]], dim=1)
        logits: Tensor = self.classifier(torch.relu(self.hidden(code)))
        return logits
