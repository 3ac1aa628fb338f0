"""Model folders of the paper's engine: what they must hold to be used."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from r5.agent.network.evaluator import PARAMETERS, parameter_shapes
from r5.agent.settings import R5Settings
from r5.storage.folder import ModelError, StoredModel

__all__ = ["checked_arrays"]

_LARGEST = 1e15
_LARGEST_WEIGHT = 1e6
"""Scores and weights in a model folder beyond these are refused: sums of them would lose all meaning."""


def checked_arrays(stored: StoredModel, settings: R5Settings) -> dict[str, NDArray[Any]]:
    """The arrays of a model folder, each with the shape and range it must have."""
    size = len(stored.vocabulary)
    arrays = {"rules.bodies": stored.array("rules.bodies", (None, 2), "i")}
    count = arrays["rules.bodies"].shape[0]
    for name, kind in (("heads", "i"), ("scores", "f"), ("support", "i")):
        arrays[f"rules.{name}"] = stored.array(f"rules.{name}", (count,), kind, -_LARGEST, _LARGEST)
    for name in ("bodies", "heads"):
        ids = arrays[f"rules.{name}"]
        if ids.size and not 0 <= ids.min() <= ids.max() < size:
            raise ModelError("the model's rules name relations that are not in its vocabulary")
    if len({tuple(body) for body in arrays["rules.bodies"].tolist()}) != count:
        raise ModelError("the model has two rules with one body")
    arrays["observed"] = stored.array("observed", (size,), least=0.0, most=_LARGEST)
    if settings.network:
        wanted = parameter_shapes(len(stored.vocabulary.known) + 2, settings.embedding, settings.hidden)
        for name in (f"network.{parameter}" for parameter in PARAMETERS):
            shape = wanted[name.removeprefix("network.")]
            arrays[name] = stored.array(name, shape, least=-_LARGEST_WEIGHT, most=_LARGEST_WEIGHT)
    return arrays
