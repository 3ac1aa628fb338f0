"""The policy-value network's forward pass in native code: one pass for many small, ragged states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Weights", "forward"]

Matrix = NDArray[np.float32]


class Weights(NamedTuple):
    """The network's parameters, the first layer's part for relation types worked out for each type."""

    left: Matrix  # [types, hidden], with the first layer's bias
    right: Matrix  # [types, hidden]
    features: Matrix  # [FEATURES, hidden]
    policy_pair: Matrix  # [hidden, hidden], policy layer's part for the pair
    policy_context: Matrix  # [hidden, hidden], ... and for the mean over the state's pairs
    policy_bias: Matrix  # [hidden]
    policy_out: Matrix  # [hidden]
    value_in: Matrix  # [hidden, hidden]
    value_bias: Matrix  # [hidden]
    value_out: Matrix  # [hidden]
    value_shift: Matrix  # [1]


@njit(cache=True)
def _add_product(vector: Matrix, matrix: Matrix, total: Matrix) -> None:
    """Add vector @ matrix to total, skipping zeros, which rectified units often are."""
    for row in range(vector.size):
        weight = vector[row]
        if weight != 0:
            for column in range(total.size):
                total[column] += weight * matrix[row, column]


@njit(cache=True)
def _rectify(vector: Matrix) -> None:
    for place in range(vector.size):
        vector[place] = max(vector[place], np.float32(0.0))


@njit(cache=True)
def forward(
    weights: Weights,
    counts: NDArray[np.int32],
    features: Matrix,
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    priors: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """(rho, nu) = f_theta(s) for each state; its pairs stand one after the other."""
    width = weights.policy_bias.size
    hidden = np.empty((max(counts.max(), 1), width), dtype=np.float32)
    context = np.empty(width, dtype=np.float32)
    shared = np.empty(width, dtype=np.float32)
    unit = np.empty(width, dtype=np.float32)
    start = 0
    for state in range(counts.size):
        count = counts[state]
        context[:] = 0.0
        for item in range(count):
            pair = start + item
            hidden[item] = weights.left[left[pair]] + weights.right[right[pair]]
            _add_product(features[pair], weights.features, hidden[item])
            _rectify(hidden[item])
            context += hidden[item]
        context /= np.float32(count)
        shared[:] = weights.policy_bias
        _add_product(context, weights.policy_context, shared)
        highest = -np.inf
        for item in range(count):
            unit[:] = shared
            _add_product(hidden[item], weights.policy_pair, unit)
            _rectify(unit)
            logit = np.float64(0.0)
            for place in range(width):
                logit += unit[place] * weights.policy_out[place]
            priors[start + item] = logit
            highest = max(highest, logit)
        total = 0.0
        for pair in range(start, start + count):
            priors[pair] = np.exp(priors[pair] - highest)
            total += priors[pair]
        priors[start : start + count] /= total
        unit[:] = weights.value_bias
        _add_product(context, weights.value_in, unit)
        _rectify(unit)
        value = np.float64(weights.value_shift[0])
        for place in range(width):
            value += unit[place] * weights.value_out[place]
        values[state] = np.tanh(value)
        start += count
