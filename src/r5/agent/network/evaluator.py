"""NetworkEvaluator: the policy-value network f_theta without PyTorch, for search and prediction."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from r5.agent.network.forward_kernels import SCRATCH_ROWS, Weights, forward
from r5.agent.state.feature_kernels import FEATURES
from r5.agent.state.states import Pairs

__all__ = ["PARAMETERS", "NetworkEvaluator", "parameter_shapes"]

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
"""Names of the network's parameters in PyTorch and in model folders."""


def parameter_shapes(types: int, embedding: int, hidden: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of each parameter.

    Args:
        types: Number of relation types.
        embedding: Size of the embedding of a relation type.
        hidden: Units of each hidden layer.
    """
    shapes = (
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
    return dict(zip(PARAMETERS, shapes, strict=True))


class NetworkEvaluator:
    """(rho, nu) = f_theta(s) from arrays, equal to the PyTorch network up to rounding.

    Attributes:
        parameters: Parameters of the network by name.
        weights: The same parameters in the layout of the kernel.
    """

    def __init__(self, parameters: Mapping[str, NDArray[np.float32]]) -> None:
        self.parameters = {name: np.asarray(parameters[name], dtype=np.float32) for name in PARAMETERS}
        self.weights = _weights(self.parameters)

    def __call__(self, pairs: Pairs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return rho of the pairs, [pairs], and nu of the states, [states]."""
        priors = np.empty(pairs.left.size)
        values = np.empty(pairs.counts.size)
        # No state has more pairs than all states together; unused rows cost nothing.
        scratch = np.empty((SCRATCH_ROWS + pairs.left.size, self.weights.policy_bias.size), dtype=np.float32)
        forward(self.weights, pairs.counts, pairs.features, pairs.left, pairs.right, scratch, priors, values)
        return priors, values


def _product(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the product of two small matrices, summed in order; the order of a BLAS depends on the machine."""
    found: NDArray[np.float32] = sum(one[:, [n]] * other[n] for n in range(other.shape[0]))
    return found


def _weights(parameters: Mapping[str, NDArray[np.float32]]) -> Weights:
    """Return the parameters in the layout of the kernel: inputs in rows, the first layer applied to each type."""
    types = parameters["types"]
    first = parameters["first.weight"].T
    policy = parameters["policy.weight"].T
    width, hidden = types.shape[1], policy.shape[1]
    weights = Weights(
        left=_product(types, first[FEATURES : FEATURES + width]) + parameters["first.bias"],
        right=_product(types, first[FEATURES + width :]),
        features=first[:FEATURES],
        policy_pair=policy[:hidden],
        policy_context=policy[hidden:],
        policy_bias=parameters["policy.bias"],
        policy_out=parameters["policy_out.weight"][0],
        value_in=parameters["value.weight"].T,
        value_bias=parameters["value.bias"],
        value_out=parameters["value_out.weight"][0],
        value_shift=parameters["value_out.bias"],
    )
    return Weights(*(np.ascontiguousarray(array, dtype=np.float32) for array in weights))
