"""Calibrating: the temperature at which first answers are right as often as their probability says.

Facts that the model has not learned from are asked for. Other candidates that are true but nobody says so must not
count as mistakes; which they are is not known, but how likely each is one (`unlabelled.py`). The more
one candidate stands out, the higher the temperature, and a part of the probability is spread over all candidates, where
that makes probabilities more honest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import exp
from r5._util.ordering import argmax
from r5.chains.calibration.held_out_scores import score_held_out
from r5.chains.calibration.temperature_kernels import first_shares, fit_grid
from r5.chains.calibration.unlabelled import unlabelled_probabilities
from r5.chains.graph.step_graph import IdArray
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.model import Heat
from r5.parallel.local_cluster import LocalCluster

__all__ = ["MAX_QUERIES", "calibrate"]

_HEATS = np.linspace(-2.0, 1.5, 36)
"""The logarithms of the temperatures that are tried."""
_RISES = np.linspace(0.0, 1.5, 16)
_SPREADS = np.linspace(0.0, 0.6, 13)
MAX_QUERIES = 700
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


def calibrate(query_scorer: QueryScorer, held: IdArray, rng: np.random.Generator, threads: int = 1) -> Heat:
    """The temperature for a model, by facts that are neither in its graph nor learned from."""
    scores_ = score_held_out(query_scorer, held, rng, MAX_QUERIES, threads)
    if scores_ is None:
        return Heat(float(exp(_USUAL)), 0.0)
    unlabelled = rng.random(scores_.owner.size) < unlabelled_probabilities(
        scores_, len(held) / max(len(query_scorer.graph.facts), 1)
    )
    stays = scores_.answer | ~(unlabelled | scores_.taken)
    first = scores_.first(stays)
    log_probabilities, left = np.zeros((first.size, _HEATS.size)), np.zeros((first.size, _HEATS.size))
    temperatures = exp(_HEATS)

    def some(begin: int) -> None:
        end = min(begin + _SLICE, first.size)
        first_shares(
            scores_.scores,
            scores_.counts,
            stays,
            scores_.starts,
            first,
            temperatures,
            begin,
            end,
            log_probabilities,
            left,
        )

    with LocalCluster(threads) as where:
        where.map(some, range(0, first.size, _SLICE))
    return _suits(log_probabilities, left, scores_.answer[first], scores_.shares(1.0)[scores_.starts[:-1]], threads)


def _suits(
    log_probabilities: FloatArray, left: FloatArray, right: NDArray[np.bool_], shares: FloatArray, threads: int = 1
) -> Heat:
    """The temperature, how it rises with the share of the first answer, and the spread that suit what was right."""
    rises, spreads = (_RISES, _SPREADS) if right.size >= _ENOUGH else (_RISES[:1], _SPREADS[:1])
    fits = np.zeros((rises.size, _HEATS.size, spreads.size))
    width = float(_HEATS[1] - _HEATS[0])

    def one(rise: int) -> None:
        fit_grid(
            log_probabilities, left, right, shares, width, rises[rise], spreads, fits[rise], np.empty(spreads.size)
        )

    with LocalCluster(threads) as where:
        where.map(one, range(rises.size))
    fits -= ((_HEATS + rises[:, None] / 2 - _USUAL) ** 2 / (2 * _DEVIATION**2))[:, :, None] + spreads / _USUAL_SPREAD
    rise, heat, spread = np.unravel_index(argmax(fits.ravel()), fits.shape)
    return Heat(float(exp(_HEATS[heat])), float(rises[rise]), float(spreads[spread]))
