"""Kernel of the policy-value network's forward pass over many small states of different sizes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner, njit_outer
from r5._util.kernels.elementary_kernels import exp_of, tanh_of

__all__ = ["SCRATCH_ROWS", "Weights", "forward"]

Matrix = NDArray[np.float32]

SCRATCH_ROWS = 3
"""Rows of the scratch array before those of the pairs."""
_CONTEXT, _SHARED, _UNIT = 0, 1, 2
"""Mean over the pairs, policy layer's part for that mean, units of a hidden layer."""


class Weights(NamedTuple):
    """Parameters of the network, with the first layer applied to each relation type."""

    left: Matrix
    """[types, hidden], first layer's part for the first relation, with the bias."""
    right: Matrix
    """[types, hidden], first layer's part for the second relation."""
    features: Matrix
    """[FEATURES, hidden], first layer's part for the features."""
    policy_pair: Matrix
    """[hidden, hidden], policy layer's part for the pair."""
    policy_context: Matrix
    """[hidden, hidden], policy layer's part for the mean over the state's pairs."""
    policy_bias: Matrix
    """[hidden]."""
    policy_out: Matrix
    """[hidden], output weights of the policy head."""
    value_in: Matrix
    """[hidden, hidden], value layer."""
    value_bias: Matrix
    """[hidden]."""
    value_out: Matrix
    """[hidden], output weights of the value head."""
    value_shift: Matrix
    """[1], output bias of the value head."""


@njit_inner
def _add_product(sources: Matrix, source: int, matrix: Matrix, totals: Matrix, total: int) -> None:
    """Add a row of `sources` @ matrix to a row of `totals`; zeros, frequent after a ReLU, are skipped."""
    for row in range(matrix.shape[0]):
        weight = sources[source, row]
        if weight != 0:
            for column in range(matrix.shape[1]):
                totals[total, column] += weight * matrix[row, column]


@njit_inner
def _output(weights: Matrix, bias: float, scratch: Matrix) -> float:
    """Return the ReLU of the hidden units times these weights, plus the bias."""
    total = bias
    for place in range(weights.size):
        total += max(scratch[_UNIT, place], np.float32(0.0)) * weights[place]
    return total


@njit_inner
def _softmax(priors: NDArray[np.float64], start: int, stop: int, highest: float) -> None:
    """Replace logits by probabilities; `highest` is the largest logit."""
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
    scratch: Matrix,
    priors: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Compute (rho, nu) = f_theta(s) for each state.

    Args:
        weights: Parameters of the network.
        counts: Number of pairs of each state, [states].
        features: Features of the pairs, [pairs, FEATURES].
        left: Type of the first relation, [pairs].
        right: Type of the second relation, [pairs].
        scratch: Scratch array, [SCRATCH_ROWS + pairs of a state, hidden].
        priors: Output: rho, [pairs].
        values: Output: nu, [states].
    """
    width = weights.policy_bias.size
    start = int64(0)
    for state in range(counts.size):
        stop = start + counts[state]
        for place in range(width):
            scratch[_CONTEXT, place] = 0.0
        for pair in range(start, stop):
            item = SCRATCH_ROWS + pair - start
            for place in range(width):
                scratch[item, place] = weights.left[left[pair], place] + weights.right[right[pair], place]
            _add_product(features, pair, weights.features, scratch, item)
            for place in range(width):
                scratch[item, place] = max(scratch[item, place], np.float32(0.0))
                scratch[_CONTEXT, place] += scratch[item, place]
        for place in range(width):
            scratch[_CONTEXT, place] /= np.float32(counts[state])
            scratch[_SHARED, place] = weights.policy_bias[place]
            scratch[_UNIT, place] = weights.value_bias[place]
        _add_product(scratch, int64(_CONTEXT), weights.value_in, scratch, int64(_UNIT))
        values[state] = tanh_of(_output(weights.value_out, np.float64(weights.value_shift[0]), scratch))
        _add_product(scratch, int64(_CONTEXT), weights.policy_context, scratch, int64(_SHARED))
        highest = -np.inf
        for pair in range(start, stop):
            for place in range(width):
                scratch[_UNIT, place] = scratch[_SHARED, place]
            _add_product(scratch, SCRATCH_ROWS + pair - start, weights.policy_pair, scratch, int64(_UNIT))
            priors[pair] = _output(weights.policy_out, 0.0, scratch)
            highest = max(highest, priors[pair])
        _softmax(priors, start, stop, highest)
        start = stop
