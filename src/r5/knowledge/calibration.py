"""Calibration error: the distance of probabilities from the frequency of what they say."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["calibration_by_chance", "calibration_error", "calibration_gaps"]

_DRAWS = 200
"""Number of random outcomes that `calibration_by_chance` averages."""


def calibration_gaps(probabilities: ArrayLike, right: ArrayLike, bins: int = 10) -> NDArray[np.float64]:
    """Return the sum of probabilities less the number of right predictions in each bin of equal width, [bins].

    Args:
        probabilities: Predicted probabilities, [n].
        right: Whether each prediction is right, [n].
        bins: Number of bins.
    """
    said, true = np.asarray(probabilities, dtype=float), np.asarray(right, dtype=float)
    # A bin holds its upper bound; 1e-9 forgives rounding.
    place = np.clip(np.ceil(said * bins - 1e-9).astype(int) - 1, 0, bins - 1)
    return np.asarray(np.bincount(place, said - true, bins), np.float64)


def calibration_error(probabilities: ArrayLike, right: ArrayLike, bins: int = 10) -> float:
    """Return the expected calibration error over bins of equal width.

    Args:
        probabilities: Predicted probabilities, [n].
        right: Whether each prediction is right, [n].
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
    said, rng = np.asarray(probabilities, dtype=float), np.random.default_rng(0)
    return float(np.mean([calibration_error(said, rng.random(said.size) < said) for _ in range(_DRAWS)]))
