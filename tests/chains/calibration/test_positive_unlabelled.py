"""Positive-unlabelled regression on data with known truth."""

from __future__ import annotations

import numpy as np
import pytest

from r5.chains.calibration.positive_unlabelled import fit_level, fit_logistic, sigmoid


def labelled(level: float, size: int = 20_000) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw scores, whether each is true, and whether it is labelled."""
    rng = np.random.default_rng(0)
    scores = rng.uniform(-12.0, 8.0, size)
    true = rng.random(size) < sigmoid(scores)
    return scores, true, (true & (rng.random(size) < level)).astype(np.float64)


@pytest.mark.parametrize("level", [0.25, 0.6])
def test_level_is_the_share_of_labelled_facts_among_true_ones(level: float) -> None:
    scores, _, labels = labelled(level)
    found, intercept, slope = fit_level(scores, labels, np.ones(scores.size))
    assert found == pytest.approx(level, abs=0.04)
    assert (intercept, slope) == (pytest.approx(0.0, abs=0.35), pytest.approx(1.0, abs=0.15))


def test_fit_with_the_level_recovers_the_rate_of_true_facts() -> None:
    scores, true, labels = labelled(0.3)
    features = np.column_stack([np.ones(scores.size), scores])
    penalty, start = np.array([1e-6, 1e-3]), np.zeros(2)
    weights = np.ones(scores.size)
    coefficients, _ = fit_logistic(features, labels, weights, 0.3, penalty, start)
    assert coefficients == pytest.approx([0.0, 1.0], abs=0.2)
    assert sigmoid(features @ coefficients).mean() == pytest.approx(true.mean(), abs=0.02)


def test_weights_are_equivalent_to_repeated_rows() -> None:
    scores, _, labels = labelled(0.5, 500)
    features = np.column_stack([np.ones(scores.size), scores])
    penalty, start = np.array([1e-3, 1e-3]), np.zeros(2)
    weights = np.where(np.arange(500) % 2, 1.0, 3.0)
    repeated = np.repeat(np.arange(500), weights.astype(int))
    weighted, _ = fit_logistic(features, labels, weights, 0.5, penalty, start)
    unweighted, _ = fit_logistic(features[repeated], labels[repeated], np.ones(repeated.size), 0.5, penalty, start)
    assert weighted == pytest.approx(unweighted, abs=1e-4)
