"""Long short-term memory, Hochreiter and Schmidhuber (1997)."""

from __future__ import annotations

from torch import nn

from r5.baselines.recurrent import Recurrent

__all__ = ["LSTM"]


class LSTM(Recurrent):
    """c_t = f_t c_{t-1} + i_t g_t and h_t = o_t tanh(c_t), in which f, i and o are gates of x_t and h_{t-1}."""

    kind = nn.LSTM
