"""GraphNetwork: a classifier of two nodes of a graph."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch_geometric.utils import scatter

from r5.baselines.inputs.graphs import ROLES, GraphBatch
from r5.baselines.networks.graph_layers import EGAT, GAT, GCN, RGCN
from r5.baselines.networks.settings import GraphSettings

__all__ = ["GraphNetwork"]

_LAYERS = {"gcn": GCN, "gat": GAT, "rgcn": RGCN, "egat": EGAT, "story-gcn": GCN, "story-gat": EGAT}


class GraphNetwork(nn.Module):
    """Node embedding, message-passing layers, and a classifier of source, target and the mean of all nodes."""

    def __init__(self, settings: GraphSettings, relations: int, answers: int) -> None:
        super().__init__()
        size = settings.embedding
        layer = _LAYERS[settings.method]
        edge_types = 2 * relations if settings.inverse else relations
        features = ROLES if settings.node_features == "roles" else settings.entity_limit
        self.node_embedding = nn.Embedding(features, size)
        self.layers = nn.ModuleList(layer(settings, edge_types) for _ in range(settings.layers))
        self.rounds = settings.rounds
        self.dropout = nn.Dropout(settings.dropout)
        self.hidden = nn.Linear(3 * size, size)
        self.classifier = nn.Linear(size, answers)

    def forward(self, batch: GraphBatch) -> Tensor:
        """Return logits, [graphs, answers]."""
        x = self.node_embedding(batch.features)
        for layer in [*self.layers] * self.rounds:
            x = torch.relu(layer(self.dropout(x), batch))
        mean = scatter(x, batch.graphs, dim=0, dim_size=batch.sources.numel(), reduce="mean")
        pooled = torch.cat([mean, x[batch.sources], x[batch.targets]], dim=1)
        logits: Tensor = self.classifier(torch.relu(self.hidden(pooled)))
        return logits
