"""PolicyValueNetwork: the network f_theta in PyTorch (Section 2.1)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from r5.agent.network.replay import Batch
from r5.agent.state.feature_kernels import FEATURES

__all__ = ["PolicyValueNetwork"]


class PolicyValueNetwork(nn.Module):
    """One small network for each pair, with the mean over the pairs of a state; the order of pairs does not matter.

    The value head ends in tanh, the range of the rewards z. The paper's network reads a board of all (m + n)^2 pairs.

    Args:
        types: Number of relation types.
        embedding: Size of the embedding of a relation type.
        hidden: Units of each hidden layer.
    """

    def __init__(self, types: int, embedding: int, hidden: int) -> None:
        super().__init__()
        self.types = nn.Parameter(0.3 * torch.randn(types, embedding))
        self.first = nn.Linear(FEATURES + 2 * embedding, hidden)
        self.policy = nn.Linear(2 * hidden, hidden)
        self.policy_out = nn.Linear(hidden, 1, bias=False)
        self.value = nn.Linear(hidden, hidden)
        self.value_out = nn.Linear(hidden, 1)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return log rho of the pairs, [pairs], and nu of the states, [states]."""
        counts = torch.from_numpy(batch.counts.astype(np.int64))
        state = torch.repeat_interleave(torch.arange(counts.numel()), counts)
        types = (self.types[torch.from_numpy(side.astype(np.int64))] for side in (batch.left, batch.right))
        hidden = torch.relu(self.first(torch.cat([torch.from_numpy(batch.features), *types], dim=1)))
        context = torch.zeros(counts.numel(), hidden.shape[1]).index_add(0, state, hidden) / counts[:, None]
        unit = torch.relu(self.policy(torch.cat([hidden, context[state]], dim=1)))
        logits = self.policy_out(unit)[:, 0]
        highest = torch.full((counts.numel(),), -torch.inf).scatter_reduce(0, state, logits.detach(), "amax")
        total = torch.zeros(counts.numel()).index_add(0, state, torch.exp(logits - highest[state]))
        log_rho = logits - highest[state] - torch.log(total)[state]
        value = torch.tanh(self.value_out(torch.relu(self.value(context)))[:, 0])
        return log_rho, value
