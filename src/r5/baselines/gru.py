"""The gated recurrent unit, Cho et al. (2014)."""

from __future__ import annotations

from torch import nn

from r5.baselines.recurrent import Recurrent

__all__ = ["GRU"]


class GRU(Recurrent):
    """h_t = z_t h_{t-1} + (1 - z_t) tanh(W x_t + r_t (U h_{t-1})), in which z and r are gates of x_t and h_{t-1}."""

    kind = nn.GRU
