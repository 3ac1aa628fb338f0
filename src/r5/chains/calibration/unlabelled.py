"""Probability that an unlabelled candidate is true (positive-unlabelled correction, Elkan and Noto, 2008).

Some facts were held out of a graph, and others are missing from it; a model cannot tell them apart. The rate of
held-out candidates is their probability of being true times a level: the share of held-out facts among all facts that
the graph lacks. A candidate with m expected missing answers is true with probability 1 - exp(-m), where m is a factor
times a power of the number that the model expects. The rate rises with that number and levels off where the model is
sure. Level, factor and power maximise the posterior probability of the held-out candidates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import exp, log
from r5._util.ordering import argmax
from r5.chains.calibration.held_out_scores import HeldOutScores

__all__ = ["UnlabelledModel", "fit_unlabelled", "unlabelled_probabilities"]

FloatArray = NDArray[np.float64]

_EDGES = np.arange(-12.0, 4.01, 0.25)
"""Edges of the bins of the expected number's logarithm."""
_CENTRES = np.append(_EDGES - 0.125, _EDGES[-1] + 0.125)
_LEVELS = np.concatenate([[0.003, 0.005, 0.007, 0.01, 0.014], np.arange(0.02, 0.99, 0.02)])
_POWER_DEVIATION, _FACTOR_DEVIATION = 0.5, 0.5
"""Standard deviations of the priors: of the power around 1, and of the log-factor around -log(level), at which the
model expects the right number of missing answers."""
_TEMPERATURES = (0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8)
_ITERATIONS, _MAX_STEP, _MIN_STEP = 60, 0.5, 1e-4
"""Maximum number of iterations, largest change of a parameter in one, and change below which the fit has converged."""
_MIN_RATE = 1e-12


@dataclass(frozen=True)
class UnlabelledModel:
    """Probability that a candidate is true, by the log of the number of missing answers that the model expects."""

    level: float
    """Share of the held-out facts among all facts that the graph lacks."""
    log_factor: float
    """Log of the number of missing answers where the model expects one."""
    power: float
    """Power of the expected number."""
    fit: float
    """Log of the posterior density."""

    def probabilities(self, log_expected: FloatArray) -> FloatArray:
        """Return the probability that candidates which are not held out are true, [candidates]."""
        true = 1.0 - exp(-exp(np.minimum(self.log_factor + self.power * log_expected, 5.0)))
        return np.asarray(true * (1.0 - self.level) / (1.0 - self.level * true))


def unlabelled_probabilities(held_out: HeldOutScores, rate: float) -> FloatArray:
    """Return the probability that each candidate is true, unless it is the answer or held out; 0 for bins.

    The expected number of missing answers of a candidate is its share of those of its query, at the temperature that
    fits best. A query has as many missing answers as other held-out ones, plus `rate` times its known ones and the
    answer.

    Args:
        held_out: Candidates of the queries.
        rate: Held-out facts per known fact.

    Returns:
        Probabilities, [candidates].
    """
    others = held_out.is_single & ~held_out.is_answer
    missing = held_out.held_out_answers + rate * (held_out.known_answers + 1)
    single = held_out.is_single
    log_expected = [log(held_out.probabilities(temperature)[single] * missing[single]) for temperature in _TEMPERATURES]
    models = [fit_unlabelled(values[others[single]], held_out.is_held_out[others]) for values in log_expected]
    best = argmax([model.fit for model in models])
    probabilities = np.zeros(held_out.query.size)
    probabilities[single] = models[best].probabilities(log_expected[best])
    return probabilities


def fit_unlabelled(log_expected: FloatArray, is_held_out: NDArray[np.bool_]) -> UnlabelledModel:
    """Fit level, factor and power by Fisher scoring, for every level of a grid.

    >>> log_expected = np.repeat([-6.0, -3.0, -1.0, 0.0, 1.0], 2_000)
    >>> is_held_out = np.concatenate([np.arange(2_000) % n == 0 for n in (500, 50, 8, 5, 4)])
    >>> model = fit_unlabelled(log_expected, is_held_out)
    >>> round(model.level, 2), model.probabilities(np.array([-3.0, 1.0])).round(2).tolist()
    (0.24, [0.08, 1.0])

    Args:
        log_expected: Log of the number of missing answers that the model expects, [candidates].
        is_held_out: Whether each candidate is held out, [candidates].
    """
    sizes, hits = (
        np.bincount(np.searchsorted(_EDGES, values), minlength=_CENTRES.size)
        for values in (log_expected, log_expected[is_held_out])
    )
    bins = np.flatnonzero(sizes)
    sizes, hits, centres = sizes[bins], hits[bins], _CENTRES[bins]
    prior_factor = -log(_LEVELS)
    factor, power = prior_factor.copy(), np.ones(_LEVELS.size)
    steps, scales = np.zeros((2, _LEVELS.size)), np.ones(_LEVELS.size)
    for _ in range(_ITERATIONS):
        expected = exp(np.minimum(factor[:, None] + power[:, None] * centres, 5.0))
        wrong = exp(-expected)
        rate = np.maximum(_LEVELS[:, None] * (1.0 - wrong), _MIN_RATE)
        slope = _LEVELS[:, None] * expected * wrong
        # Gradient of the log-posterior, and the Fisher information with the prior's.
        weight = slope / (rate * (1.0 - rate))
        residuals, information = weight * (hits - sizes * rate), weight * slope * sizes
        gradient = _sum(residuals) - (factor - prior_factor) / _FACTOR_DEVIATION**2
        power_gradient = _sum(residuals * centres) - (power - 1.0) / _POWER_DEVIATION**2
        first, both = _sum(information) + 1 / _FACTOR_DEVIATION**2, _sum(information * centres)
        second = _sum(information * centres**2) + 1 / _POWER_DEVIATION**2
        determinant = first * second - both * both
        newton = np.stack([second * gradient - both * power_gradient, first * power_gradient - both * gradient])
        newton = newton / determinant
        # A level whose step reverses the last one overshot: its steps are halved.
        scales[(newton * steps).sum(axis=0) < 0.0] /= 2.0
        steps = newton * (scales * _MAX_STEP / np.maximum(np.abs(newton).max(axis=0), _MAX_STEP))
        factor, power = factor + steps[0], power + steps[1]
        if np.abs(steps).max() < _MIN_STEP:
            break
    fit = _sum(hits * log(rate) + (sizes - hits) * log(1.0 - rate)) + log(_LEVELS * (1.0 - _LEVELS))
    fit -= (factor - prior_factor) ** 2 / (2 * _FACTOR_DEVIATION**2) + (power - 1.0) ** 2 / (2 * _POWER_DEVIATION**2)
    best = argmax(fit)
    return UnlabelledModel(float(_LEVELS[best]), float(factor[best]), float(power[best]), float(fit[best]))


def _sum(rows: FloatArray) -> FloatArray:
    """Return the sum of each row, summed from left to right."""
    return np.asarray(np.cumsum(rows, axis=1)[:, -1]) if rows.size else np.zeros(len(rows))
