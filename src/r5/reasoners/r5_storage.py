"""Checks of the arrays in model folders of the engine r5."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from r5.agent.network.evaluator import PARAMETERS, parameter_shapes
from r5.agent.settings import R5Settings
from r5.storage.folder import ModelError, StoredModel

__all__ = ["checked_arrays"]

_MAX_SCORE = 1e15
_MAX_WEIGHT = 1e6
"""Maximum magnitude of scores and of network weights; sums of larger ones lose all precision."""


def checked_arrays(stored: StoredModel, settings: R5Settings) -> dict[str, NDArray[Any]]:
    """Return the arrays of a stored model after a check of shapes and ranges.

    Raises:
        ModelError: An array is missing, has another shape or has values out of range.

    """
    size = len(stored.vocabulary)
    arrays = {"rules.bodies": stored.array("rules.bodies", (None, 2), "i")}
    count = arrays["rules.bodies"].shape[0]
    for name, kind in (("heads", "i"), ("scores", "f"), ("support", "i")):
        arrays[f"rules.{name}"] = stored.array(f"rules.{name}", (count,), kind, -_MAX_SCORE, _MAX_SCORE)
    for name in ("bodies", "heads"):
        ids = arrays[f"rules.{name}"]
        if ids.size and not 0 <= ids.min() <= ids.max() < size:
            raise ModelError("the model's rules name relations that are not in its vocabulary")
    if len({tuple(body) for body in arrays["rules.bodies"].tolist()}) != count:
        raise ModelError("the model has two rules with one body")
    arrays["observed"] = stored.array("observed", (size,), least=0.0, most=_MAX_SCORE)
    if settings.network:
        wanted = parameter_shapes(len(stored.vocabulary.known) + 2, settings.embedding, settings.hidden)
        for name in (f"network.{parameter}" for parameter in PARAMETERS):
            shape = wanted[name.removeprefix("network.")]
            arrays[name] = stored.array(name, shape, least=-_MAX_WEIGHT, most=_MAX_WEIGHT)
    return arrays
