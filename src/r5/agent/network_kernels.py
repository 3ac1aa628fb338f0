"""The policy-value network's forward pass in native code: one pass for many small, ragged states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner, njit_outer
from r5._util.kernels.elementary_kernels import exp_of, tanh_of

__all__ = ["ROOM", "Weights", "forward"]

Matrix = NDArray[np.float32]

ROOM = 3
"""Rows of working memory besides one for each pair of a state."""


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


@njit_inner
def _add_product(sources: Matrix, source: int, matrix: Matrix, totals: Matrix, total: int) -> None:
    """Add a row of `sources` @ matrix to a row of `totals`, skipping zeros, which rectified units often are."""
    for row in range(matrix.shape[0]):
        weight = sources[source, row]
        if weight != 0:
            for column in range(matrix.shape[1]):
                totals[total, column] += weight * matrix[row, column]


@njit_inner
def _output(weights: Matrix, bias: float, work: Matrix, unit: int) -> float:
    """The rectified row `unit` times these weights."""
    total = bias
    for place in range(weights.size):
        total += max(work[unit, place], np.float32(0.0)) * weights[place]
    return total


@njit_inner
def _soften(priors: NDArray[np.float64], start: int, stop: int, highest: float) -> None:
    """Turn logits into probabilities."""
    total = 0.0
    for pair in range(start, stop):
        priors[pair] = exp_of(priors[pair] - highest)
        total += priors[pair]
    for pair in range(start, stop):
        priors[pair] /= total


@njit_outer
def forward(
    weights: Weights,
    counts: NDArray[np.int32],
    features: Matrix,
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    work: Matrix,
    priors: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """(rho, nu) = f_theta(s) for each state; its pairs stand one after the other.

    `work` is working memory, [ROOM + pairs of a state, hidden].
    """
    width = weights.policy_bias.size
    context, shared, unit = int64(0), int64(1), int64(2)
    start = int64(0)
    for state in range(counts.size):
        stop = start + counts[state]
        for place in range(width):
            work[context, place] = 0.0
        for pair in range(start, stop):
            item = ROOM + pair - start
            for place in range(width):
                work[item, place] = weights.left[left[pair], place] + weights.right[right[pair], place]
            _add_product(features, pair, weights.features, work, item)
            for place in range(width):
                work[item, place] = max(work[item, place], np.float32(0.0))
                work[context, place] += work[item, place]
        for place in range(width):
            work[context, place] /= np.float32(counts[state])
            work[shared, place] = weights.policy_bias[place]
            work[unit, place] = weights.value_bias[place]
        _add_product(work, context, weights.value_in, work, unit)
        values[state] = tanh_of(_output(weights.value_out, np.float64(weights.value_shift[0]), work, unit))
        _add_product(work, context, weights.policy_context, work, shared)
        highest = -np.inf
        for pair in range(start, stop):
            for place in range(width):
                work[unit, place] = work[shared, place]
            _add_product(work, ROOM + pair - start, weights.policy_pair, work, unit)
            priors[pair] = _output(weights.policy_out, 0.0, work, unit)
            highest = max(highest, priors[pair])
        _soften(priors, start, stop, highest)
        start = stop
