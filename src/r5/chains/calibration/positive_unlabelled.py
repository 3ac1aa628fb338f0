"""Logistic regression on positive and unlabelled data (Elkan and Noto, 2008).

Some true facts were held out and are labelled; other true facts are unlabelled. A fact is labelled with probability
`level * P(true)`. The label rate of the surest facts levels off at `level`, the share of labelled facts among the true
ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import exp, log
from r5.chains.calibration.logistic_kernels import add_information, predict, solve

__all__ = ["fit_level", "fit_logistic", "linear_scores", "sigmoid"]

FloatArray = NDArray[np.float64]
_ITERATIONS = 40
_LIKELIHOOD_MARGIN = 1.5
"""The lowest level whose log-likelihood is within this margin of the best is used: the surest facts count as true."""
_LEVELS = np.round(np.arange(0.02, 1.0, 0.02), 2)
_BIN = 0.05
"""Scores are rounded to multiples of this before the level is fitted."""
_SLOPE_DEVIATION = 0.5
"""Standard deviation of the prior of the slope around 1."""


def sigmoid(values: FloatArray) -> FloatArray:
    """Return 1 / (1 + exp(-values))."""
    return np.asarray(1.0 / (1.0 + exp(np.clip(-values, -500.0, 500.0))))


def fit_logistic(
    features: FloatArray,
    labels: FloatArray,
    weights: FloatArray,
    level: float,
    penalty: FloatArray,
    start: FloatArray,
    centre: FloatArray | None = None,
    tolerance: float = 1e-9,
) -> tuple[FloatArray, float]:
    """Maximise the weighted log-likelihood of P(label) = level * sigmoid(features @ coefficients), L2-penalised.

    Args:
        features: [rows, columns].
        labels: 0 or 1, [rows].
        weights: Weight of each row, [rows].
        level: Upper limit of P(label).
        penalty: L2 penalty of each coefficient, [columns].
        start: Coefficients to start from, [columns].
        centre: Coefficients with penalty 0; zeros by default.
        tolerance: Relative gain of the objective below which the fit has converged.

    Returns:
        The coefficients and the objective reached.
    """
    centre = np.zeros_like(start) if centre is None else centre
    features = np.ascontiguousarray(features)

    def objective(coefficients: FloatArray) -> float:
        rate = np.clip(level * sigmoid(linear_scores(features, coefficients)), 1e-12, 1.0 - 1e-12)
        fit = (np.where(labels > 0, log(rate), log(1.0 - rate)) * weights).sum()
        return float(fit - 0.5 * (penalty * (coefficients - centre) ** 2).sum())

    found, reached = start, objective(start)
    for _ in range(_ITERATIONS):
        true = sigmoid(linear_scores(features, found))
        rate = np.clip(level * true, 1e-12, 1.0 - 1e-12)
        slope = level * true * (1.0 - true)
        weight = weights * slope / (rate * (1.0 - rate))
        step = -penalty * (found - centre)
        information = np.diag(penalty + 1e-9)
        add_information(features, weight * (labels - rate), weight * slope, step, information)
        solve(information, step)
        size, new = 1.0, objective(found + step)
        while new <= reached and size > 1e-4:
            size /= 2.0
            new = objective(found + size * step)
        if new <= reached:
            break
        found, gain, reached = found + size * step, new - reached, new
        if gain < tolerance * abs(reached):
            break
    return found, reached


def linear_scores(features: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Return `features @ coefficients`, [rows]."""
    scores = np.empty(len(features))
    predict(features, np.ascontiguousarray(coefficients), scores)
    return scores


def fit_level(scores: FloatArray, labels: FloatArray, weights: FloatArray) -> tuple[float, float, float]:
    """Fit P(label) = level * sigmoid(intercept + slope * score).

    Args:
        scores: Log-odds of facts by a model that was not fitted on them, [facts].
        labels: Whether each was held out, [facts].
        weights: Weight of each, [facts].

    Returns:
        Level, intercept and slope.
    """
    bins, place = np.unique(np.rint(scores / _BIN) * 2 + (labels > 0), return_inverse=True)
    weights = np.asarray(np.bincount(place, weights), np.float64)
    labels, scores = np.asarray(bins % 2, np.float64), np.floor(bins / 2) * _BIN
    features = np.column_stack([np.ones(scores.size), scores])
    penalty, centre = np.array([1e-6, _SLOPE_DEVIATION**-2]), np.array([0.0, 1.0])
    fits, start = [], centre
    for level in _LEVELS.tolist():
        start, reached = fit_logistic(features, labels, weights, level, penalty, start, centre)
        fits.append((reached, level, start))
    best = max(reached for reached, _, _ in fits)
    _, level, (intercept, slope) = next(fit for fit in fits if fit[0] >= best - _LIKELIHOOD_MARGIN)
    return level, float(intercept), float(slope)
