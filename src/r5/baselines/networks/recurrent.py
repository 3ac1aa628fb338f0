"""Recurrent encoders, which read a sequence in both directions."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from r5.baselines.networks.settings import EncoderSettings

__all__ = ["GRU", "LSTM", "RNN"]


class Recurrent(nn.Module):
    """Bidirectional recurrent network that returns its two final states."""

    kind: ClassVar[type[nn.RNN] | type[nn.LSTM] | type[nn.GRU]]

    def __init__(self, settings: EncoderSettings) -> None:
        super().__init__()
        self.cells = self.kind(settings.embedding, settings.hidden, batch_first=True, bidirectional=True)
        self.size = 2 * settings.hidden

    def forward(self, embedded: Tensor, lengths: Tensor) -> Tensor:
        """Encode sequences, [sequences, longest, embedding] to [sequences, size]."""
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        _, last = self.cells(packed)
        state = last[0] if isinstance(last, tuple) else last
        return torch.cat([state[0], state[1]], dim=1)


class RNN(Recurrent):
    """Simple recurrent network, Elman (1990): h_t = tanh(W x_t + U h_{t-1} + b)."""

    kind = nn.RNN


class LSTM(Recurrent):
    """Long short-term memory, Hochreiter and Schmidhuber (1997).

    c_t = f_t c_{t-1} + i_t g_t and h_t = o_t tanh(c_t); f, i and o are gates of x_t and h_{t-1}.
    """

    kind = nn.LSTM


class GRU(Recurrent):
    """Gated recurrent unit, Cho et al. (2014).

    h_t = z_t h_{t-1} + (1 - z_t) tanh(W x_t + r_t (U h_{t-1})); z and r are gates of x_t and h_{t-1}.
    """

    kind = nn.GRU
