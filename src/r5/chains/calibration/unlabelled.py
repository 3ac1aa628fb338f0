"""Missing: how many candidates are true though nobody says so.

Some facts were taken out of a graph, and others are missing from it altogether. To a model both look alike: the rate of
those that were taken out is the chance that a candidate is true times a level, the share of what was taken out among
all that is missing (Elkan and Noto, 2008). A candidate that stands for m missing answers is true with the chance
1 - exp(-m), m a power of how many the model thinks it stands for: so the rate rises with that, and where the model is
sure it levels off. Level, power and factor are those that make likeliest what was taken out.
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
"""What is between two edges is a group."""
_CENTRES = np.append(_EDGES - 0.125, _EDGES[-1] + 0.125)
_LEVELS = np.concatenate([[0.003, 0.005, 0.007, 0.01, 0.014], np.arange(0.02, 0.99, 0.02)])
_POWER, _FACTOR = 0.5, 0.5
"""How far the power is from 1 beforehand, about, and the logarithm of the factor from that of all that is missing for
one that was taken out: a candidate stands for so many as the model thinks. Any level is about as likely."""
_TEMPERATURES = (0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8)
_ROUNDS, _FARTHEST = 60, 0.5
"""So often power and factor are moved, by so much at the most, ..."""
_NEAR = 1e-4
"""... unless none of them moves by as much as this."""
_LEAST = 1e-12
"""No rate is below this."""


@dataclass(frozen=True)
class UnlabelledModel:
    """How likely a candidate is true, by the logarithm of how many missing answers the model thinks it stands for."""

    level: float
    """The share of what was taken out among all that is missing."""
    factor: float
    """The logarithm of how many answers are missing for one that the model thinks of, ..."""
    power: float
    """... and to which power."""
    fit: float
    """The logarithm of how likely what was taken out is."""

    def unlabelled(self, log_expected: FloatArray) -> FloatArray:
        """How likely candidates that were not taken out are true."""
        true = 1.0 - exp(-exp(np.minimum(self.factor + self.power * log_expected, 5.0)))
        return np.asarray(true * (1.0 - self.level) / (1.0 - self.level * true))


def unlabelled_probabilities(scores_: HeldOutScores, rate: float) -> FloatArray:
    """How likely each candidate is true, if it is neither the answer asked for nor one that was taken out.

    How many missing answers one stands for is its share of those of its question, at the temperature that fits best.
    There are about as many as were taken out, the one asked for aside and whether the candidate was or not, and in
    proportion, `rate`, as known ones.
    """
    notify = scores_.likely & ~scores_.answer
    missing = scores_.others + rate * (scores_.known + 1)
    log_expected = [
        log(scores_.shares(temperature)[scores_.likely] * missing[scores_.likely]) for temperature in _TEMPERATURES
    ]
    found = [fit_unlabelled(one[notify[scores_.likely]], scores_.taken[notify]) for one in log_expected]
    best = argmax([one.fit for one in found])
    unlabelled = np.zeros(scores_.owner.size)
    unlabelled[scores_.likely] = found[best].unlabelled(log_expected[best])
    return unlabelled


def fit_unlabelled(log_expected: FloatArray, taken: NDArray[np.bool_]) -> UnlabelledModel:
    """What fits best which candidates were taken out.

    >>> wanting = np.repeat([-6.0, -3.0, -1.0, 0.0, 1.0], 2_000)
    >>> taken = np.concatenate([np.arange(2_000) % n == 0 for n in (500, 50, 8, 5, 4)])
    >>> found = fit_missing(wanting, taken)
    >>> round(found.level, 2), found.unsaid(np.array([-3.0, 1.0])).round(2).tolist()
    (0.24, [0.08, 1.0])
    """
    sizes, hits = (
        np.bincount(np.searchsorted(_EDGES, some), minlength=_CENTRES.size)
        for some in (log_expected, log_expected[taken])
    )
    some = np.flatnonzero(sizes)
    sizes, hits, centres = sizes[some], hits[some], _CENTRES[some]
    usual = -log(_LEVELS)
    factor, power = usual.copy(), np.ones(_LEVELS.size)
    before, paces = np.zeros((2, _LEVELS.size)), np.ones(_LEVELS.size)
    for _ in range(_ROUNDS):
        many = exp(np.minimum(factor[:, None] + power[:, None] * centres, 5.0))
        wrong = exp(-many)
        rate = np.maximum(_LEVELS[:, None] * (1.0 - wrong), _LEAST)
        slope = _LEVELS[:, None] * many * wrong
        # Fisher's scoring: how the likelihood rises with factor and power, and how surely.
        surely = slope / (rate * (1.0 - rate))
        push, pull = surely * (hits - sizes * rate), surely * slope * sizes
        up, up_power = _sum(push) - (factor - usual) / _FACTOR**2, _sum(push * centres) - (power - 1.0) / _POWER**2
        one, both, two = _sum(pull) + 1 / _FACTOR**2, _sum(pull * centres), _sum(pull * centres**2) + 1 / _POWER**2
        by = one * two - both * both
        moves = np.stack([two * up - both * up_power, one * up_power - both * up]) / by
        # Where a level is left the way it came from, it went too far.
        paces[(moves * before).sum(axis=0) < 0.0] /= 2.0
        before = moves * (paces * _FARTHEST / np.maximum(np.abs(moves).max(axis=0), _FARTHEST))
        factor, power = factor + before[0], power + before[1]
        if np.abs(before).max() < _NEAR:
            break
    fit = _sum(hits * log(rate) + (sizes - hits) * log(1.0 - rate)) + log(_LEVELS * (1.0 - _LEVELS))
    fit -= (factor - usual) ** 2 / (2 * _FACTOR**2) + (power - 1.0) ** 2 / (2 * _POWER**2)
    best = argmax(fit)
    return UnlabelledModel(float(_LEVELS[best]), float(factor[best]), float(power[best]), float(fit[best]))


def _sum(rows: FloatArray) -> FloatArray:
    """The sum of each row, in order."""
    return np.asarray(np.cumsum(rows, axis=1)[:, -1]) if rows.size else np.zeros(len(rows))
