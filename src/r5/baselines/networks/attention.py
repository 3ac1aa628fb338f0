"""Encoders with multi-head self-attention, Vaswani et al. (2017)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from r5.baselines.networks.recurrent import LSTM
from r5.baselines.networks.settings import EncoderSettings, SequenceSettings

__all__ = ["MHA", "AttentiveLSTM"]


class MHA(nn.Module):
    """Transformer layer, softmax(Q K^T / sqrt(d)) V in each head, with the mean over the path."""

    def __init__(self, settings: SequenceSettings) -> None:
        super().__init__()
        size = settings.embedding
        self.attention = nn.MultiheadAttention(size, settings.heads, batch_first=True)
        self.attention_norm = nn.LayerNorm(size)
        self.feed_forward = nn.Sequential(nn.Linear(size, settings.hidden), nn.ReLU(), nn.Linear(settings.hidden, size))
        self.feed_forward_norm = nn.LayerNorm(size)
        self.size = size

    def forward(self, embedded: Tensor, lengths: Tensor) -> Tensor:
        """Encode paths, [paths, longest, embedding] to [paths, size]."""
        longest = embedded.shape[1]
        padding = torch.arange(longest)[None, :] >= lengths[:, None]
        x = embedded + _positional_encoding(longest, embedded.shape[2])
        attended, _ = self.attention(x, x, x, key_padding_mask=padding, need_weights=False)
        x = self.attention_norm(x + attended)
        x = self.feed_forward_norm(x + self.feed_forward(x))
        total: Tensor = x.masked_fill(padding[:, :, None], 0.0).sum(dim=1)
        return total / lengths[:, None]


class AttentiveLSTM(nn.Module):
    """Self-attention whose output is added to the tokens, then an LSTM."""

    def __init__(self, settings: EncoderSettings) -> None:
        super().__init__()
        size = settings.embedding
        self.heads = settings.heads
        self.head_size = -(-size // settings.heads)  # the heads need not divide the embedding
        self.query_key_value = nn.Linear(size, 3 * self.heads * self.head_size)
        self.output = nn.Linear(self.heads * self.head_size, size)
        self.lstm = LSTM(settings)
        self.size = self.lstm.size

    def forward(self, embedded: Tensor, lengths: Tensor) -> Tensor:
        """Encode sequences, [sequences, longest, embedding] to [sequences, size]."""
        count, longest, _ = embedded.shape
        padding = torch.arange(longest)[None, :] >= lengths[:, None]
        parts = self.query_key_value(embedded).view(count, longest, 3, self.heads, self.head_size)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind()
        attended = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=~padding[:, None, None, :])
        output = self.output(attended.transpose(1, 2).reshape(count, longest, -1))
        encoded: Tensor = self.lstm(embedded + output, lengths)
        return encoded


def _positional_encoding(length: int, size: int) -> Tensor:
    """Return sines and cosines of different wave lengths for each position, [length, size]."""
    angle = torch.arange(length)[:, None] * torch.exp(-math.log(10_000) * torch.arange(0, size, 2) / size)
    return torch.stack([angle.sin(), angle.cos()], dim=2).flatten(1)[:, :size]
