"""Kernels that try temperatures, against one question after the other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from r5.chains.calibration.temperature_kernels import first_shares, fit_grid
from tests.oracle import temperature as oracle


@pytest.mark.parametrize("seed", range(3))
def test_shares_of_first_answers_are_those_of_a_slow_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, 10)
    starts = np.cumsum([0, *sizes])
    scores, counts = rng.normal(0.0, 3.0, starts[-1]), rng.integers(1, 4, starts[-1]).astype(np.float64)
    stays = rng.random(starts[-1]) < 0.6
    first = np.array([rng.integers(low, high) for low, high in pairwise(starts.tolist())])
    stays[first] = True
    temperatures = np.array([0.2, 1.0, 3.0])
    rule_scores, left = np.zeros((10, 3)), np.zeros((10, 3))
    first_shares(scores, counts, stays, starts, first, temperatures, 0, 4, rule_scores, left)
    first_shares(scores, counts, stays, starts, first, temperatures, 4, 10, rule_scores, left)
    for row, (low, high) in enumerate(pairwise(starts.tolist())):
        candidates = list(zip(scores[low:high].tolist(), counts[low:high].tolist(), stays[low:high], strict=True))
        for column, heat in enumerate(temperatures.tolist()):
            wanted = oracle.first_share(candidates, float(scores[first[row]]), heat)
            assert (rule_scores[row, column], left[row, column]) == wanted


@pytest.mark.parametrize("seed", range(3))
def test_fits_of_temperatures_are_those_of_a_slow_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = 20 + 30 * seed
    rule_scores, left = rng.random((size, 7)), rng.random((size, 7))
    right, shares = rng.random(size) < 0.5, rng.random(size)
    rises, spreads = np.array([0.0, 0.4]), np.array([0.0, 0.1, 0.5])
    fits = np.zeros((2, 7, 3))
    for place, rise in enumerate(rises.tolist()):
        fit_grid(rule_scores, left, right, shares, 0.1, rise, spreads, fits[place], np.empty(3))
    rows = list(zip(rule_scores.tolist(), left.tolist(), right.tolist(), shares.tolist(), strict=True))
    for (rise, heat, spread), found in np.ndenumerate(fits):
        assert found == oracle.fit(rows, heat, float(rises[rise]), float(spreads[spread]), 0.1)
