"""Temperature of a model: calibrates the probabilities of first answers on held-out facts.

Some candidates are true but unlabelled and must not count as errors. They are drawn by their probability of being true
(`unlabelled.py`). The log-temperature may rise with the share of the first answer, and part of the probability may be
spread over all candidates, if that raises the likelihood.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import exp
from r5._util.ordering import argmax
from r5.chains.calibration.held_out_scores import score_held_out
from r5.chains.calibration.temperature_kernels import (
    FirstProbabilities,
    QueryCandidates,
    first_probabilities,
    fit_grid,
)
from r5.chains.calibration.unlabelled import unlabelled_probabilities
from r5.chains.graph.step_graph import IdArray
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.model import Temperature
from r5.parallel.local_cluster import LocalCluster

__all__ = ["MAX_QUERIES", "calibrate_temperature", "fit_temperature"]

_LOG_TEMPERATURES = np.linspace(-2.0, 1.5, 36)
_RISES = np.linspace(0.0, 1.5, 16)
_SPREADS = np.linspace(0.0, 0.6, 13)
MAX_QUERIES = 700
"""Maximum number of held-out facts to query."""
_MIN_QUERIES = 500
"""Minimum number of queries to fit the rise and the spread; with fewer, both are 0."""
_PRIOR_MEAN, _PRIOR_DEVIATION = -0.5, 0.5
"""Normal prior of the log-temperature."""
_PRIOR_SPREAD = 0.25
"""Mean of the exponential prior of the spread."""
_SLICE = 128
"""Queries per task of a thread."""

FloatArray = NDArray[np.float64]


def calibrate_temperature(
    query_scorer: QueryScorer, held: IdArray, rng: np.random.Generator, threads: int = 1
) -> Temperature:
    """Fit the temperature of a model on held-out facts."""
    held_out = score_held_out(query_scorer, held, rng, MAX_QUERIES, threads)
    if held_out is None:
        return Temperature(float(exp(_PRIOR_MEAN)), 0.0)
    rate = len(held) / max(len(query_scorer.graph.facts), 1)
    is_true = rng.random(held_out.query.size) < unlabelled_probabilities(held_out, rate)
    eligible = held_out.is_answer | ~(is_true | held_out.is_held_out)
    first = held_out.best(eligible)
    shape = first.size, _LOG_TEMPERATURES.size
    result = FirstProbabilities(np.zeros(shape), np.zeros(shape))
    candidates = QueryCandidates(held_out.scores, held_out.counts, eligible, held_out.starts, first)
    temperatures = exp(_LOG_TEMPERATURES)

    def compute(begin: int) -> None:
        first_probabilities(candidates, temperatures, begin, min(begin + _SLICE, first.size), result)

    with LocalCluster(threads) as executor:
        executor.map(compute, range(0, first.size, _SLICE))
    shares = held_out.probabilities(1.0)[held_out.starts[:-1]]
    return fit_temperature(result, held_out.is_answer[first], shares, threads)


def fit_temperature(
    probabilities: FirstProbabilities, correct: NDArray[np.bool_], shares: FloatArray, threads: int = 1
) -> Temperature:
    """Return the temperature, rise and spread of maximum posterior probability.

    Args:
        probabilities: Probabilities of first answers at each temperature of the grid.
        correct: Whether the first answer is correct, [queries].
        shares: Probability of the first answer at temperature 1, [queries].
        threads: Number of threads; the result does not depend on it.
    """
    rises, spreads = (_RISES, _SPREADS) if correct.size >= _MIN_QUERIES else (_RISES[:1], _SPREADS[:1])
    fits = np.zeros((rises.size, _LOG_TEMPERATURES.size, spreads.size))
    width = float(_LOG_TEMPERATURES[1] - _LOG_TEMPERATURES[0])

    def compute(row: int) -> None:
        fit_grid(probabilities, correct, shares, width, rises[row], spreads, fits[row], np.empty(spreads.size))

    with LocalCluster(threads) as executor:
        executor.map(compute, range(rises.size))
    distances = (_LOG_TEMPERATURES + rises[:, None] / 2 - _PRIOR_MEAN) ** 2
    fits -= (distances / (2 * _PRIOR_DEVIATION**2))[:, :, None] + spreads / _PRIOR_SPREAD
    rise, temperature, spread = np.unravel_index(argmax(fits.ravel()), fits.shape)
    return Temperature(float(exp(_LOG_TEMPERATURES[temperature])), float(rises[rise]), float(spreads[spread]))
