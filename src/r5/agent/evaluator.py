"""NetworkEvaluator: the policy-value network f_theta as search and prediction use it, without PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from r5.agent.network_kernels import ROOM, Weights, forward
from r5.agent.state import Pairs
from r5.agent.state_kernels import FEATURES

__all__ = ["PARAMETERS", "NetworkEvaluator", "shapes"]

PARAMETERS = (
    "types",
    "first.weight",
    "first.bias",
    "policy.weight",
    "policy.bias",
    "policy_out.weight",
    "value.weight",
    "value.bias",
    "value_out.weight",
    "value_out.bias",
)
"""The names of the network's parameters, as PyTorch and a model folder have them."""


def shapes(types: int, embedding: int, hidden: int) -> dict[str, tuple[int, ...]]:
    """The shape of each parameter of a network for so many relation types."""
    sizes = (
        (types, embedding),
        (hidden, FEATURES + 2 * embedding),
        (hidden,),
        (hidden, 2 * hidden),
        (hidden,),
        (1, hidden),
        (hidden, hidden),
        (hidden,),
        (1, hidden),
        (1,),
    )
    return dict(zip(PARAMETERS, sizes, strict=True))


class NetworkEvaluator:
    """(rho, nu) = f_theta(s) from plain arrays; equal to the PyTorch network up to rounding."""

    def __init__(self, parameters: Mapping[str, NDArray[np.float32]]) -> None:
        self.parameters = {name: np.asarray(parameters[name], dtype=np.float32) for name in PARAMETERS}
        self.weights = _weights(self.parameters)

    def __call__(self, pairs: Pairs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        priors = np.empty(pairs.left.size)
        values = np.empty(pairs.counts.size)
        # No state has more pairs than all of them, and rows that are not used cost nothing.
        work = np.empty((ROOM + pairs.left.size, self.weights.policy_bias.size), dtype=np.float32)
        forward(self.weights, pairs.counts, pairs.features, pairs.left, pairs.right, work, priors, values)
        return priors, values


def _product(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """The product of two small matrices, summed in order: a BLAS takes the order that suits the machine."""
    found: NDArray[np.float32] = sum(one[:, [n]] * other[n] for n in range(other.shape[0]))
    return found


def _weights(parameters: Mapping[str, NDArray[np.float32]]) -> Weights:
    """The parameters as the kernel wants them: inputs in rows, the type's part of the first layer worked out."""
    types = parameters["types"]
    first = parameters["first.weight"].T
    policy = parameters["policy.weight"].T
    width, hidden = types.shape[1], policy.shape[1]
    left = _product(types, first[FEATURES : FEATURES + width]) + parameters["first.bias"]
    right = _product(types, first[FEATURES + width :])
    return Weights(
        *(
            np.ascontiguousarray(array, dtype=np.float32)
            for array in (
                left,
                right,
                first[:FEATURES],
                policy[:hidden],
                policy[hidden:],
                parameters["policy.bias"],
                parameters["policy_out.weight"][0],
                parameters["value.weight"].T,
                parameters["value.bias"],
                parameters["value_out.weight"][0],
                parameters["value_out.bias"],
            )
        )
    )
