"""What the recurrent encoders share: a path is read in both directions, and each ends in a state."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from r5.baselines.settings import SequenceSettings

__all__ = ["Recurrent"]


class Recurrent(nn.Module):
    """The last states of a recurrent network that reads forwards and of one that reads backwards."""

    kind: ClassVar[type[nn.RNN] | type[nn.LSTM] | type[nn.GRU]]

    def __init__(self, settings: SequenceSettings) -> None:
        super().__init__()
        self.cells = self.kind(settings.embedding, settings.hidden, batch_first=True, bidirectional=True)
        self.size = 2 * settings.hidden

    def forward(self, embedded: Tensor, lengths: Tensor) -> Tensor:
        """[paths, longest, embedding] to [paths, size]."""
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        _, last = self.cells(packed)
        state = last[0] if isinstance(last, tuple) else last
        return torch.cat([state[0], state[1]], dim=1)
