"""FactCalibration: the probability that a fact is true, from the features of the fact.

A logistic regression over the features of `r5.chains.calibration.fact_features`, their squares and products, with a
positive-unlabelled correction. One model for all relations and both directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import exp
from r5.chains.calibration.fact_features import FEATURES
from r5.chains.calibration.positive_unlabelled import sigmoid

__all__ = ["COEFFICIENTS", "FactCalibration", "quadratic"]

FloatArray = NDArray[np.float64]
_SIZE = len(FEATURES)
COEFFICIENTS = 1 + _SIZE + _SIZE * (_SIZE + 1) // 2
"""Number of coefficients: an intercept, the features, their products."""
_CHUNK = 4_096
"""Facts computed at a time."""
_SMALLEST = FEATURES.index("smallest_joint")


def quadratic(features: FloatArray) -> FloatArray:
    """Return a column of ones, the features, their squares and their products, [facts, COEFFICIENTS]."""
    return np.column_stack([*_terms(features.T)])


def _terms(features: FloatArray) -> Iterator[FloatArray]:
    """Yield the columns of `quadratic` one by one; `features` is [features, facts]."""
    yield np.ones(features.shape[1])
    yield from features
    for place, one in enumerate(features):
        for other in features[place:]:
            yield one * other


@dataclass(frozen=True, eq=False)
class FactCalibration:
    """P(fact is true), fitted on facts that were held out."""

    mean: FloatArray  # [features]
    scale: FloatArray  # [features]
    coefficients: FloatArray  # [COEFFICIENTS], or empty where too few facts were held out
    level: float
    """Estimated share of the held-out facts among all true facts that the learning graph lacked."""
    returned: bool
    """Whether the held-out facts are part of the graph that is asked about, so that fewer are missing."""

    @classmethod
    def uncalibrated(cls) -> FactCalibration:
        """Return the calibration for too few held-out facts: the smaller of both ends' joint probabilities."""
        return cls(np.zeros(_SIZE), np.ones(_SIZE), np.zeros(0), 0.0, False)

    @property
    def is_fitted(self) -> bool:
        """Return whether there were enough held-out facts."""
        return bool(self.coefficients.size)

    def probabilities(self, features: FloatArray) -> FloatArray:
        """Return the probability that each fact is true, [facts]; `features` is [facts, 17]."""
        if not self.is_fitted:
            return np.asarray(exp(features[:, _SMALLEST]))
        score = np.zeros(len(features))
        for first in range(0, len(features), _CHUNK):
            some = np.ascontiguousarray(((features[first : first + _CHUNK] - self.mean) / self.scale).T)
            # Summed term by term: the same digits whatever the number of facts.
            for coefficient, term in zip(self.coefficients.tolist(), _terms(some), strict=True):
                score[first : first + _CHUNK] += coefficient * term
        true = sigmoid(score)
        if not self.returned:
            return true
        return np.asarray(true * (1.0 - self.level) / (1.0 - self.level * true))
