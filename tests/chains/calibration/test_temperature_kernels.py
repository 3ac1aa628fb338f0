"""Kernels of the temperature, against slow twins that treat one query at a time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from r5.chains.calibration.temperature_kernels import FirstProbabilities, QueryCandidates, first_probabilities, fit_grid
from tests.oracle import temperature as oracle


@pytest.mark.parametrize("seed", range(3))
def test_first_probabilities_are_those_of_a_slow_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, 10)
    starts = np.cumsum([0, *sizes])
    scores, counts = rng.normal(0.0, 3.0, starts[-1]), rng.integers(1, 4, starts[-1]).astype(np.float64)
    eligible = rng.random(starts[-1]) < 0.6
    first = np.array([rng.integers(low, high) for low, high in pairwise(starts.tolist())])
    eligible[first] = True
    temperatures = np.array([0.2, 1.0, 3.0])
    found = FirstProbabilities(np.zeros((10, 3)), np.zeros((10, 3)))
    queries = QueryCandidates(scores, counts, eligible, starts, first)
    first_probabilities(queries, temperatures, 0, 4, found)
    first_probabilities(queries, temperatures, 4, 10, found)
    for row, (low, high) in enumerate(pairwise(starts.tolist())):
        candidates = list(zip(scores[low:high].tolist(), counts[low:high].tolist(), eligible[low:high], strict=True))
        for column, temperature in enumerate(temperatures.tolist()):
            expected = oracle.first_probabilities(candidates, float(scores[first[row]]), temperature)
            assert (found.first[row, column], found.eligible[row, column]) == expected


@pytest.mark.parametrize("seed", range(3))
def test_likelihoods_are_those_of_a_slow_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = 20 + 30 * seed
    probabilities = FirstProbabilities(rng.random((size, 7)), rng.random((size, 7)))
    correct, shares = rng.random(size) < 0.5, rng.random(size)
    rises, spreads = np.array([0.0, 0.4]), np.array([0.0, 0.1, 0.5])
    fits = np.zeros((2, 7, 3))
    for place, rise in enumerate(rises.tolist()):
        fit_grid(probabilities, correct, shares, 0.1, rise, spreads, fits[place], np.empty(3))
    first, eligible = (table.tolist() for table in probabilities)
    rows = list(zip(first, eligible, correct.tolist(), shares.tolist(), strict=True))
    for (rise, temperature, spread), found in np.ndenumerate(fits):
        expected = oracle.log_likelihood(
            rows, temperature, rise=float(rises[rise]), spread=float(spreads[spread]), width=0.1
        )
        assert found == expected
