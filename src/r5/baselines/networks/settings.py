"""Settings of the neural networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from r5._util.settings import SettingsError, setting
from r5.baselines.methods import MethodSettings
from r5.paths.settings import PathSettings

__all__ = [
    "EncoderSettings",
    "GraphSettings",
    "HeldOut",
    "SequenceSettings",
    "StorySettings",
    "TrainingSettings",
]

HeldOut = Literal["none", "short", "long"]


@dataclass(frozen=True)
class TrainingSettings(MethodSettings):
    """Settings of all networks."""

    seed: int = setting(0, least=0, most=2**63 - 1)
    """Seed of the initial weights, the order of the examples and dropout."""
    epochs: int = setting(100, least=1, most=1_000_000)
    """Maximum number of epochs."""
    patience: int = setting(10, least=0, most=1_000_000)
    """Number of epochs without improvement after which training stops (early stopping); 0 disables it."""
    batch_size: int = setting(64, least=1, most=1_000_000)
    """Number of distinct examples in one step of Adam."""
    min_steps: int = setting(16, least=1, most=1_000_000)
    """Minimum number of optimiser steps in an epoch; a small training set is passed over several times."""
    learning_rate: float = setting(0.001, above=0)
    """Learning rate of Adam."""
    embedding: int = setting(100, least=1, most=10_000)
    """Size of the embedding of a relation, an entity or a node."""
    dropout: float = setting(0.0, least=0, below=1)
    """Dropout probability."""
    held_out: HeldOut = "none"
    """Held-out training examples that choose the epoch where no validation data is given: none, a tenth of the examples
    (short), or longer examples composed of that tenth (long)."""

    @property
    def total_epochs(self) -> int:
        """Maximum number of epochs of all models that are trained."""
        return self.epochs


@dataclass(frozen=True)
class EncoderSettings(TrainingSettings):
    """Settings of all encoders of a sequence."""

    hidden: int = setting(100, least=1, most=10_000)
    """Number of units of a recurrent network per direction, or of filters of each width of a convolution."""
    heads: int = setting(4, least=1, most=1000)
    """Number of attention heads, which split the embedding among them."""
    highways: int = setting(2, least=0, most=100)
    """Number of highway layers (cnnh)."""


@dataclass(frozen=True)
class SequenceSettings(PathSettings, EncoderSettings):
    """Settings of encoders of paths; the probabilities of several paths are averaged."""

    def check(self) -> None:
        """Check that attention heads split the embedding evenly."""
        if self.method == "mha" and self.embedding % self.heads:
            raise SettingsError(f"heads must divide embedding, {self.embedding}; {self.heads} does not")


@dataclass(frozen=True)
class NumberedSettings(TrainingSettings):
    """Settings of networks that read a whole graph."""

    entity_limit: int = setting(20, least=1, most=10_000)
    """Number of entity embeddings. Entities are numbered by name; all further ones share the last embedding."""
    edge_limit: int = setting(10_000, least=1)
    """Maximum number of edges in the graph of an example; a larger graph is refused."""


@dataclass(frozen=True)
class StorySettings(EncoderSettings, NumberedSettings):
    """Settings of encoders of stories: facts as a sequence of entity, relation, entity, entity, ..."""

    projection: int = setting(30, least=1, most=10_000)
    """Output size of the linear projection of a convolution."""


@dataclass(frozen=True)
class GraphSettings(NumberedSettings):
    """Settings of graph networks, whose layers pass messages along the edges."""

    epochs: int = setting(40, least=1, most=1_000_000)
    dropout: float = setting(0.1, least=0, below=1)
    layers: int = setting(4, least=1, most=100)
    """Number of message-passing layers, each with weights of its own."""
    rounds: int = setting(1, least=1, most=100)
    """Number of passes through the layers; the receptive field of a node is layers * rounds."""
    node_features: Literal["roles", "numbers"] = "roles"
    """Initial embedding of a node: that of its role in the query, or that of its number among the sorted names."""
    heads: int = setting(2, least=1, most=1000)
    """Number of attention heads of GAT and E-GAT, which are averaged."""
    inverse: bool = True
    """Pass messages against the edges too, as inverse relations."""
