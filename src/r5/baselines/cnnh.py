"""A convolution with more filters the wider they are, then highway layers, Kim et al. (2016)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from r5.baselines.cnn import Windows
from r5.baselines.settings import SequenceSettings

__all__ = ["CNNH"]

SHARES = (4, 8, 16, 32, 64)
"""Filters of each width, for each hundred of `hidden`."""


class Highway(nn.Module):
    """y = t relu(W x + b) + (1 - t) x with the gate t = sigmoid(W' x + b'), Srivastava et al. (2015)."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.changed = nn.Linear(size, size)
        self.gate = nn.Linear(size, size)
        nn.init.constant_(self.gate.bias, -1.0)  # to begin with, most of the input passes

    def forward(self, x: Tensor) -> Tensor:
        """[paths, size] to the same."""
        gate = torch.sigmoid(self.gate(x))
        return gate * torch.relu(self.changed(x)) + (1 - gate) * x


class CNNH(nn.Module):
    """Windows of the path, then highway layers."""

    def __init__(self, settings: SequenceSettings) -> None:
        super().__init__()
        self.windows = Windows(settings.embedding, [max(share * settings.hidden // 100, 1) for share in SHARES])
        self.highways = nn.Sequential(*(Highway(self.windows.size) for _ in range(settings.highways)))
        self.size = self.windows.size

    def forward(self, embedded: Tensor, lengths: Tensor) -> Tensor:
        """[paths, longest, embedding] to [paths, size]."""
        highways: Tensor = self.highways(self.windows(embedded, lengths))
        return highways
