"""Kernels of logistic regression agree with matrix products."""

from __future__ import annotations

import numpy as np
import pytest

from r5.chains.calibration.logistic_kernels import add_information, solve
from r5.chains.calibration.positive_unlabelled import linear_scores


@pytest.mark.parametrize(("rows", "columns"), [(11, 4), (8, 5), (3, 1)])
def test_products_are_those_of_matrices(rows: int, columns: int) -> None:
    rng = np.random.default_rng(rows)
    features, residuals, weights = rng.normal(size=(rows, columns)), rng.normal(size=rows), rng.random(rows)
    coefficients = rng.normal(size=columns)
    assert linear_scores(features, coefficients) == pytest.approx(features @ coefficients)
    gradient, information = np.ones(columns), np.eye(columns)
    add_information(features, residuals, weights, gradient, information)
    assert gradient == pytest.approx(1 + features.T @ residuals)
    right = np.eye(columns) + features.T @ (weights[:, None] * features)
    assert np.triu(information) == pytest.approx(np.triu(right))
    solve(information, gradient)
    assert right @ gradient == pytest.approx(1 + features.T @ residuals)
