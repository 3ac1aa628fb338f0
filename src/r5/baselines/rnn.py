"""The simple recurrent network of Elman (1990)."""

from __future__ import annotations

from torch import nn

from r5.baselines.recurrent import Recurrent

__all__ = ["RNN"]


class RNN(Recurrent):
    """h_t = tanh(W x_t + U h_{t-1} + b)."""

    kind = nn.RNN
