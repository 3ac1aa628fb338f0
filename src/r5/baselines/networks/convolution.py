"""Convolutional encoders with filters of several widths, with and without highway layers."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from r5.baselines.networks.settings import EncoderSettings

__all__ = ["CNN", "CNNH"]

WIDTHS = (1, 2, 3, 4, 5)
FILTERS = (4, 8, 16, 32, 64)
"""Number of filters of each width in CNNH, per hundred of the setting `hidden`."""


class WideConvolution(nn.Module):
    """Wide convolutions with max-over-time pooling: max_t relu(W x_{t:t+w} + b) of each filter."""

    def __init__(self, embedding: int, filters: Sequence[int]) -> None:
        super().__init__()
        self.filters = nn.ModuleList(
            nn.Conv1d(embedding, count, width) for width, count in zip(WIDTHS, filters, strict=True)
        )
        self.size = sum(filters)

    def forward(self, embedded: Tensor, lengths: Tensor) -> Tensor:
        """Encode sequences, [sequences, longest, embedding] to [sequences, size]."""
        pooled = []
        for width, convolution in zip(WIDTHS, self.filters, strict=True):
            # Padding on both ends (a wide convolution) lets filters see where a sequence begins and ends.
            padded = nn.functional.pad(embedded, (0, 0, width - 1, width - 1)).transpose(1, 2)
            pooled.append(_max_over_time(torch.relu(convolution(padded)).transpose(1, 2), lengths + width - 1))
        return torch.cat(pooled, dim=1)

    def encode_tokens(self, vectors: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Encode sequences of tokens, as `forward` does, in less time where tokens repeat.

        The response of a filter is a sum over the positions in its window. Each product is computed once per token of
        the vocabulary, not once per position.

        Args:
            vectors: Embeddings, that of token 0 zero, [vocabulary, embedding].
            tokens: [sequences, longest].
            lengths: [sequences].

        Returns:
            [sequences, size].

        """
        pooled = []
        for width, convolution in zip(WIDTHS, self.filters, strict=True):
            assert isinstance(convolution, nn.Conv1d) and convolution.bias is not None  # noqa: S101
            products = torch.einsum("ve,fek->kvf", vectors, convolution.weight).flatten(0, 1)
            windows = nn.functional.pad(tokens, (width - 1, width - 1)).unfold(1, width, 1)
            rows = (windows + torch.arange(width) * len(vectors)).flatten(0, 1)
            response = nn.functional.embedding_bag(rows, products, mode="sum") + convolution.bias
            response = torch.relu(response).view(*windows.shape[:2], -1)
            pooled.append(_max_over_time(response, lengths + width - 1))
        return torch.cat(pooled, dim=1)


def _max_over_time(response: Tensor, windows: Tensor) -> Tensor:
    """Return the maximum over the first windows of each row, [rows, windows, filters] to [rows, filters]."""
    padding = torch.arange(response.shape[1])[None, :] >= windows[:, None]
    return response.masked_fill(padding[:, :, None], 0.0).amax(dim=1)


class CNN(WideConvolution):
    """Convolutional network with the same number of filters of each width, Kim (2014)."""

    def __init__(self, settings: EncoderSettings) -> None:
        super().__init__(settings.embedding, [settings.hidden] * len(WIDTHS))


class Highway(nn.Module):
    """Highway layer y = t relu(W x + b) + (1 - t) x, gate t = sigmoid(W' x + b'), Srivastava et al. (2015)."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.transform = nn.Linear(size, size)
        self.gate = nn.Linear(size, size)
        nn.init.constant_(self.gate.bias, -1.0)  # most of the input passes at first

    def forward(self, x: Tensor) -> Tensor:
        """Transform vectors, [rows, size] to the same."""
        gate = torch.sigmoid(self.gate(x))
        return gate * torch.relu(self.transform(x)) + (1 - gate) * x


class CNNH(nn.Module):
    """Convolutional network with more filters of greater width, then highway layers, Kim et al. (2016)."""

    def __init__(self, settings: EncoderSettings) -> None:
        super().__init__()
        filters = [max(count * settings.hidden // 100, 1) for count in FILTERS]
        self.convolution = WideConvolution(settings.embedding, filters)
        self.highways = nn.Sequential(*(Highway(self.convolution.size) for _ in range(settings.highways)))
        self.size = self.convolution.size

    def forward(self, embedded: Tensor, lengths: Tensor) -> Tensor:
        """Encode sequences, [sequences, longest, embedding] to [sequences, size]."""
        highways: Tensor = self.highways(self.convolution(embedded, lengths))
        return highways

    def encode_tokens(self, vectors: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Encode sequences of tokens, see `WideConvolution.encode_tokens`."""
        highways: Tensor = self.highways(self.convolution.encode_tokens(vectors, tokens, lengths))
        return highways
