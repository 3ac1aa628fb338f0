"""Convolutions over the path with filters of several widths, with and without highway layers."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from r5.baselines.settings import EncoderSettings

__all__ = ["CNN", "CNNH"]

WIDTHS = (1, 2, 3, 4, 5)
SHARES = (4, 8, 16, 32, 64)
"""Filters of each width, for each hundred of `hidden`."""


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
            strongest.append(_strongest(torch.relu(convolution(padded)).transpose(1, 2), lengths + width - 1))
        return torch.cat(strongest, dim=1)

    def of_tokens(self, vectors: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
        """What `forward` makes of vectors [kinds, embedding], the first of zeros, at tokens [stories, longest].

        A filter's response is a sum over the places in its window, in each of which stands one of few tokens: each
        product is worked out once for a kind of token, not for each place of each story.
        """
        strongest = []
        for width, convolution in zip(WIDTHS, self.filters, strict=True):
            assert isinstance(convolution, nn.Conv1d) and convolution.bias is not None  # noqa: S101
            products = torch.einsum("ve,fek->kvf", vectors, convolution.weight).flatten(0, 1)
            windows = nn.functional.pad(tokens, (width - 1, width - 1)).unfold(1, width, 1)
            places = (windows + torch.arange(width) * len(vectors)).flatten(0, 1)
            response = nn.functional.embedding_bag(places, products, mode="sum") + convolution.bias
            response = torch.relu(response).view(*windows.shape[:2], -1)
            strongest.append(_strongest(response, lengths + width - 1))
        return torch.cat(strongest, dim=1)


def _strongest(response: Tensor, windows: Tensor) -> Tensor:
    """The largest of the first windows of each row, [rows, windows, filters] to [rows, filters]."""
    beyond = torch.arange(response.shape[1])[None, :] >= windows[:, None]
    return response.masked_fill(beyond[:, :, None], 0.0).amax(dim=1)


class CNN(Windows):
    """The same number of filters of each width, Kim (2014)."""

    def __init__(self, settings: EncoderSettings) -> None:
        super().__init__(settings.embedding, [settings.hidden] * len(WIDTHS))


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
    """More filters the wider they are, then highway layers, Kim et al. (2016)."""

    def __init__(self, settings: EncoderSettings) -> None:
        super().__init__()
        self.windows = Windows(settings.embedding, [max(share * settings.hidden // 100, 1) for share in SHARES])
        self.highways = nn.Sequential(*(Highway(self.windows.size) for _ in range(settings.highways)))
        self.size = self.windows.size

    def forward(self, embedded: Tensor, lengths: Tensor) -> Tensor:
        """[paths, longest, embedding] to [paths, size]."""
        highways: Tensor = self.highways(self.windows(embedded, lengths))
        return highways

    def of_tokens(self, vectors: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
        """What `forward` makes of vectors at tokens."""
        highways: Tensor = self.highways(self.windows.of_tokens(vectors, tokens, lengths))
        return highways
