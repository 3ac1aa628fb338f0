"""Compiled kernels of logistic regression: linear predictor, gradient and information, and Newton steps.

They take the place of matrix products of a BLAS library, whose threads wait for each other on a busy machine and whose
last bits differ between processors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import njit_free

__all__ = ["add_information", "predict", "solve"]

Array = NDArray[Any]


@njit_free
def predict(features: Array, coefficients: Array, scores: Array) -> None:
    """Compute `features @ coefficients`.

    Args:
        features: [rows, columns].
        coefficients: [columns].
        scores: The result, [rows].
    """
    columns = coefficients.size
    for row in range(scores.size):
        one, two = 0.0, 0.0
        for column in range(0, columns - 1, 2):
            one += features[row, column] * coefficients[column]
            two += features[row, column + 1] * coefficients[column + 1]
        if columns % 2 == 1:
            one += features[row, columns - 1] * coefficients[columns - 1]
        scores[row] = one + two


@njit_free
def add_information(features: Array, residuals: Array, weights: Array, gradient: Array, information: Array) -> None:
    """Add `features.T @ residuals` to the gradient and `features.T @ diag(weights) @ features` to the information.

    Only the part of the information from the diagonal on is computed. Four rows at a time read it once.

    Args:
        features: [rows, columns].
        residuals: [rows].
        weights: [rows].
        gradient: [columns].
        information: [columns, columns].
    """
    rows, columns = features.shape
    for row in range(rows):
        for column in range(columns):
            gradient[column] += residuals[row] * features[row, column]
    for row in range(0, rows - 3, 4):
        for i in range(columns):
            one, two = weights[row] * features[row, i], weights[row + 1] * features[row + 1, i]
            three, four = weights[row + 2] * features[row + 2, i], weights[row + 3] * features[row + 3, i]
            for j in range(i, columns):
                information[i, j] += (one * features[row, j] + two * features[row + 1, j]) + (
                    three * features[row + 2, j] + four * features[row + 3, j]
                )
    for row in range(rows - rows % 4, rows):
        for i in range(columns):
            one = weights[row] * features[row, i]
            for j in range(i, columns):
                information[i, j] += one * features[row, j]


@njit_free
def solve(matrix: Array, vector: Array) -> None:
    """Solve `matrix @ x = vector` for a positive definite matrix by Cholesky factorisation.

    Args:
        matrix: The matrix from the diagonal on, [size, size]; its contents are lost.
        vector: The right-hand side, replaced by x, [size].
    """
    size = vector.size
    for i in range(size):
        for k in range(i):
            factor = matrix[k, i]
            for j in range(i, size):
                matrix[i, j] -= factor * matrix[k, j]
        root = np.sqrt(matrix[i, i])
        for j in range(i, size):
            matrix[i, j] /= root
    for i in range(size):
        vector[i] /= matrix[i, i]
        for j in range(i + 1, size):
            vector[j] -= matrix[i, j] * vector[i]
    for back in range(size):
        i = size - 1 - back
        for j in range(i + 1, size):
            vector[i] -= matrix[i, j] * vector[j]
        vector[i] /= matrix[i, i]
