"""The hyperparameters of the baselines, a sentence on each."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any

from r5.errors import R5Error

__all__ = [
    "GRAPH_NETWORKS",
    "SEQUENCE_ENCODERS",
    "GraphSettings",
    "SequenceSettings",
    "TrainingSettings",
    "settings_of",
]

SEQUENCE_ENCODERS = ("rnn", "lstm", "gru", "cnn", "cnnh", "mha")
"""Read the relations along the paths between the two entities."""
GRAPH_NETWORKS = ("gcn", "gat", "rgcn", "egat")
"""Read the whole graph, in which the two entities are marked."""

_CHOICES = {"path_policy": ("shortest", "simple", "trail"), "direct": ("skip", "keep", "dummy")}
_WHOLE: dict[str, tuple[int, float]] = {
    "seed": (0, math.inf),
    "epochs": (1, 1_000_000),
    "patience": (0, 1_000_000),
    "batch_size": (1, 1_000_000),
    "embedding": (1, 10_000),
    "hidden": (1, 10_000),
    "heads": (1, 1000),
    "highways": (0, 100),
    "path_length": (2, 10_000),
    "path_limit": (1, math.inf),
    "layers": (1, 100),
    "edge_limit": (1, math.inf),
}
"""The least and the most."""


@dataclass(frozen=True)
class TrainingSettings:
    """What all baselines have in common."""

    architecture: str
    seed: int = 0
    """Decides the first weights, the order of the examples and what dropout leaves out."""
    epochs: int = 100
    """The most passes over the distinct examples; where these are few, several passes count as one."""
    patience: int = 10
    """Epochs without a better one after which training stops; 0: never."""
    batch_size: int = 64
    """Distinct examples in one step of the optimiser (Adam)."""
    learning_rate: float = 0.001
    embedding: int = 100
    """Numbers that describe a relation, or a node."""
    dropout: float = 0.0
    """The share of these numbers that is left out at random in training."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in _CHOICES and value not in _CHOICES[field.name]:
                raise R5Error(f"{field.name} must be one of {', '.join(_CHOICES[field.name])}, not {value!r}")
            if field.name in _WHOLE:
                object.__setattr__(self, field.name, _whole(field.name, value))
            if field.type == "bool" and not isinstance(value, bool):
                raise R5Error(f"{field.name} must be true or false, not {value!r}")
            if field.type == "float":
                object.__setattr__(self, field.name, _real(field.name, value))
        if not 0 <= self.dropout < 1:
            raise R5Error(f"dropout must be at least 0 and less than 1, not {self.dropout}")
        if not self.learning_rate > 0:
            raise R5Error(f"learning_rate must be above 0, not {self.learning_rate}")


@dataclass(frozen=True)
class SequenceSettings(TrainingSettings):
    """A path is read as a sequence of relations; what several paths say is averaged."""

    hidden: int = 100
    """Units of a recurrent network in each direction, or filters of each width of a convolution."""
    heads: int = 4
    """Attention heads, which share the embedding among them."""
    highways: int = 2
    """Highway layers."""
    path_policy: str = "shortest"
    """Which paths are read: shortest, simple or trail."""
    path_length: int = 20
    """The most relations on a path."""
    path_limit: int = 20
    """The most paths of one question."""
    direct: str = "skip"
    """A path of a single edge: skip it, keep it, or pair it with the dummy relation."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.architecture == "mha" and self.embedding % self.heads:
            raise R5Error(f"heads must divide embedding, {self.embedding}; {self.heads} does not")


@dataclass(frozen=True)
class GraphSettings(TrainingSettings):
    """Each layer passes messages along the edges; the answer is read off the two nodes and the mean of all."""

    epochs: int = 40
    dropout: float = 0.1
    layers: int = 4
    """Rounds of messages: as far as a node sees."""
    heads: int = 2
    """Attention heads of GAT and E-GAT, averaged."""
    inverse: bool = True
    """Whether messages also flow against the edges, as other relations."""
    edge_limit: int = 10_000
    """The most edges of one example's graph, all of which is read."""


_PRESETS: dict[str, dict[str, Any]] = {
    "mha": {"dropout": 0.1},  # as in the paper that introduced it, Vaswani et al. (2017)
    # Appendix B of the R5 paper.
    "rgcn": {"learning_rate": 0.001, "embedding": 200, "epochs": 20, "layers": 4, "dropout": 0.1},
}


def settings_of(architecture: str, **changes: Any) -> TrainingSettings:
    """The settings of an architecture, with changes; a name that is not a setting of it is an error.

    >>> settings_of("rgcn", seed=3).embedding
    200
    """
    if architecture in SEQUENCE_ENCODERS:
        kind: type[TrainingSettings] = SequenceSettings
    elif architecture in GRAPH_NETWORKS:
        kind = GraphSettings
    else:
        known = ", ".join(SEQUENCE_ENCODERS + GRAPH_NETWORKS)
        raise R5Error(f"no architecture is called {architecture!r}; expected one of {known}")
    names = [field.name for field in fields(kind)]
    unknown = next((name for name in changes if name not in names), None)
    if unknown is not None:
        raise R5Error(f"the baseline {architecture} has no setting {unknown!r}; it has {', '.join(names[1:])}")
    return kind(architecture, **{**_PRESETS.get(architecture, {}), **changes})


def _whole(name: str, value: object) -> int:
    least, most = _WHOLE[name]
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= int(value) <= most:
        bounds = f"from {least} on" if most == math.inf else f"from {least} to {most:,}"
        raise R5Error(f"{name} must be a whole number {bounds}, not {value!r}")
    return int(value)


def _real(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise R5Error(f"{name} must be a number, not {value!r}")
    return float(value)
