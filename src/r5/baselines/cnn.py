"""A convolution over the path with filters of several widths, Kim (2014)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from r5.baselines.settings import SequenceSettings

__all__ = ["CNN", "Windows"]

WIDTHS = (1, 2, 3, 4, 5)


class Windows(nn.Module):
    """The strongest response of each filter to any window of the path: max_t relu(W x_{t:t+w} + b)."""

    def __init__(self, embedding: int, filters: Sequence[int]) -> None:
        super().__init__()
        self.filters = nn.ModuleList(
            nn.Conv1d(embedding, count, width) for width, count in zip(WIDTHS, filters, strict=True)
        )
        self.size = sum(filters)

    def forward(self, embedded: Tensor, lengths: Tensor) -> Tensor:
        """[paths, longest, embedding] to [paths, size]."""
        strongest = []
        for width, convolution in zip(WIDTHS, self.filters, strict=True):
            # A window may hang over either end (a wide convolution), so that filters see where a path begins and ends.
            padded = nn.functional.pad(embedded, (0, 0, width - 1, width - 1)).transpose(1, 2)
            response = torch.relu(convolution(padded))
            beyond = torch.arange(response.shape[2])[None, :] >= (lengths + width - 1)[:, None]
            strongest.append(response.masked_fill(beyond[:, None, :], 0.0).amax(dim=2))
        return torch.cat(strongest, dim=1)


class CNN(Windows):
    """The same number of filters of each width."""

    def __init__(self, settings: SequenceSettings) -> None:
        super().__init__(settings.embedding, [settings.hidden] * len(WIDTHS))
