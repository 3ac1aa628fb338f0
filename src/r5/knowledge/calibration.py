"""Calibration error: the distance of predicted probabilities from observed frequencies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["calibration_by_chance", "calibration_error", "calibration_gaps"]

_DRAWS = 200
"""Number of random outcomes that `calibration_by_chance` averages."""


def calibration_gaps(probabilities: ArrayLike, right: ArrayLike, bins: int = 10) -> NDArray[np.float64]:
    """Return the sum of probabilities minus the number of correct predictions in each bin of equal width, [bins].

    Args:
        probabilities: Predicted probabilities, [n].
        right: 1 for a correct prediction, else 0, [n].
        bins: Number of bins.
    """
    predicted, true = np.asarray(probabilities, dtype=float), np.asarray(right, dtype=float)
    # A bin includes its upper bound; 1e-9 tolerates rounding.
    index = np.clip(np.ceil(predicted * bins - 1e-9).astype(int) - 1, 0, bins - 1)
    return np.asarray(np.bincount(index, predicted - true, bins), np.float64)


def calibration_error(probabilities: ArrayLike, right: ArrayLike, bins: int = 10) -> float:
    """Return the expected calibration error over bins of equal width.

    Args:
        probabilities: Predicted probabilities, [n].
        right: 1 for a correct prediction, else 0, [n].
        bins: Number of bins.

    >>> round(calibration_error([0.9, 0.9, 0.2], [1, 0, 0]), 3)
    0.333
    """
    size = np.size(probabilities)
    return float(np.abs(calibration_gaps(probabilities, right, bins)).sum() / size) if size else 0.0


def calibration_by_chance(probabilities: ArrayLike) -> float:
    """Return the mean calibration error of perfectly calibrated, independent predictions.

    >>> 0.03 < calibration_by_chance([0.5] * 100) < 0.05
    True
    """
    p, rng = np.asarray(probabilities, dtype=float), np.random.default_rng(0)
    return float(np.mean([calibration_error(p, rng.random(p.size) < p) for _ in range(_DRAWS)]))
