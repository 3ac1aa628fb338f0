"""Calibrating: the temperature at which first answers are right as often as their probability says.

Facts that the model has not learned from are asked for. Other candidates that are true but nobody says so must not
count as mistakes; which they are is not known, but how likely each is one (`r5.chains.missing`). The more one
candidate stands out, the higher the temperature, and a part of the probability is spread over all candidates, where
that makes probabilities more honest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import exp
from r5._util.ordering import argmax
from r5.chains.answering import Answerer
from r5.chains.heat_kernels import first_shares, try_heats
from r5.chains.looking import look
from r5.chains.missing import find_missing
from r5.chains.model import Heat
from r5.chains.steps import IdArray
from r5.parallel.local import Local

__all__ = ["ASKED", "calibrate"]

_HEATS = np.linspace(-2.0, 1.5, 36)
"""The logarithms of the temperatures that are tried."""
_RISES = np.linspace(0.0, 1.5, 16)
_SPREADS = np.linspace(0.0, 0.6, 13)
ASKED = 700
"""So many facts are asked for, at the most."""
_ENOUGH = 500
"""So many questions can tell whether the temperature should rise with the share of the first answer, and the spread."""
_USUAL, _DEVIATION = -0.5, 0.5
"""What the logarithm of the temperature is taken to be before anything is asked, ..."""
_USUAL_SPREAD = 0.25
"""... and about how much may be spread evenly."""

_SLICE = 128
"""Questions that a thread is given at once."""

FloatArray = NDArray[np.float64]


def calibrate(answerer: Answerer, held: IdArray, rng: np.random.Generator, threads: int = 1) -> Heat:
    """The temperature for a model, by facts that are neither in its graph nor learned from."""
    looks = look(answerer, held, rng, ASKED, threads)
    if looks is None:
        return Heat(float(exp(_USUAL)), 0.0)
    unsaid = rng.random(looks.owner.size) < find_missing(looks, len(held) / max(len(answerer.graph.facts), 1))
    stays = looks.answer | ~(unsaid | looks.taken)
    first = looks.first(stays)
    said, left = np.zeros((first.size, _HEATS.size)), np.zeros((first.size, _HEATS.size))
    heats = exp(_HEATS)

    def some(begin: int) -> None:
        end = min(begin + _SLICE, first.size)
        first_shares(looks.scores, looks.counts, stays, looks.starts, first, heats, begin, end, said, left)

    with Local(threads) as where:
        where.map(some, range(0, first.size, _SLICE))
    return _suits(said, left, looks.answer[first], looks.shares(1.0)[looks.starts[:-1]], threads)


def _suits(
    said: FloatArray, left: FloatArray, right: NDArray[np.bool_], shares: FloatArray, threads: int = 1
) -> Heat:  # fmt: skip
    """The temperature, how it rises with the share of the first answer, and the spread that suit what was right."""
    rises, spreads = (_RISES, _SPREADS) if right.size >= _ENOUGH else (_RISES[:1], _SPREADS[:1])
    fits = np.zeros((rises.size, _HEATS.size, spreads.size))
    width = float(_HEATS[1] - _HEATS[0])

    def one(rise: int) -> None:
        try_heats(said, left, right, shares, width, rises[rise], spreads, fits[rise], np.empty(spreads.size))

    with Local(threads) as where:
        where.map(one, range(rises.size))
    fits -= ((_HEATS + rises[:, None] / 2 - _USUAL) ** 2 / (2 * _DEVIATION**2))[:, :, None] + spreads / _USUAL_SPREAD
    rise, heat, spread = np.unravel_index(argmax(fits.ravel()), fits.shape)
    return Heat(float(exp(_HEATS[heat])), float(rises[rise]), float(spreads[spread]))
