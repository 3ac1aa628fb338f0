"""Multi-head self-attention over the path, Vaswani et al. (2017)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from r5.baselines.recurrent import LSTM
from r5.baselines.settings import EncoderSettings, SequenceSettings

__all__ = ["MHA", "AttentiveLSTM"]


class MHA(nn.Module):
    """Each relation attends to all others, softmax(Q K^T / sqrt(d)) V in each head; then the mean over the path."""

    def __init__(self, settings: SequenceSettings) -> None:
        super().__init__()
        size = settings.embedding
        self.attention = nn.MultiheadAttention(size, settings.heads, batch_first=True)
        self.norm = nn.LayerNorm(size)
        self.inner = nn.Sequential(nn.Linear(size, settings.hidden), nn.ReLU(), nn.Linear(settings.hidden, size))
        self.outer_norm = nn.LayerNorm(size)
        self.size = size

    def forward(self, embedded: Tensor, lengths: Tensor) -> Tensor:
        """[paths, longest, embedding] to [paths, size]."""
        longest = embedded.shape[1]
        beyond = torch.arange(longest)[None, :] >= lengths[:, None]
        x = embedded + _positions(longest, embedded.shape[2])
        attended, _ = self.attention(x, x, x, key_padding_mask=beyond, need_weights=False)
        x = self.norm(x + attended)
        x = self.outer_norm(x + self.inner(x))
        total: Tensor = x.masked_fill(beyond[:, :, None], 0.0).sum(dim=1)
        return total / lengths[:, None]


class AttentiveLSTM(nn.Module):
    """Each token attends to all others, what it finds is added to it, and an LSTM reads the sums."""

    def __init__(self, settings: EncoderSettings) -> None:
        super().__init__()
        size = settings.embedding
        self.heads = settings.heads
        self.within = -(-size // settings.heads)  # a head's own numbers: the heads need not divide the embedding
        self.attended = nn.Linear(size, 3 * self.heads * self.within)
        self.together = nn.Linear(self.heads * self.within, size)
        self.reader = LSTM(settings)
        self.size = self.reader.size

    def forward(self, embedded: Tensor, lengths: Tensor) -> Tensor:
        """[sequences, longest, embedding] to [sequences, size]."""
        count, longest, _ = embedded.shape
        beyond = torch.arange(longest)[None, :] >= lengths[:, None]
        parts = self.attended(embedded).view(count, longest, 3, self.heads, self.within).permute(2, 0, 3, 1, 4)
        query, key, value = parts.unbind()
        found = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=~beyond[:, None, None, :])
        together = self.together(found.transpose(1, 2).reshape(count, longest, -1))
        read: Tensor = self.reader(embedded + together, lengths)
        return read


def _positions(length: int, size: int) -> Tensor:
    """Where a relation stands as sines and cosines of different wave lengths, [length, size]."""
    place = torch.arange(length)[:, None] * torch.exp(-math.log(10_000) * torch.arange(0, size, 2) / size)
    return torch.stack([place.sin(), place.cos()], dim=2).flatten(1)[:, :size]
