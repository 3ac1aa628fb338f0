"""The hyperparameters of the baselines, a sentence on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from r5._util.settings import Settings, SettingsError, build_settings, setting
from r5.paths.settings import PathSettings

__all__ = [
    "GRAPH_NETWORKS",
    "HOLDING_OUT",
    "SEQUENCE_ENCODERS",
    "STORY_ENCODERS",
    "VARYING",
    "BaselineSettings",
    "EncoderSettings",
    "GraphSettings",
    "HeldOut",
    "SequenceSettings",
    "StorySettings",
    "TrainingSettings",
    "settings_of",
]

SequenceEncoder = Literal["rnn", "lstm", "gru", "cnn", "cnnh", "mha"]
StoryEncoder = Literal["story-rnn", "story-lstm", "story-gru", "story-cnn", "story-cnnh", "story-mha"]
GraphNetwork = Literal["gcn", "gat", "rgcn", "egat", "story-gcn", "story-gat"]
HeldOut = Literal["none", "short", "long"]
SEQUENCE_ENCODERS: tuple[str, ...] = get_args(SequenceEncoder)
"""Read the relations along the paths between the two entities."""
STORY_ENCODERS: tuple[str, ...] = get_args(StoryEncoder)
"""Read the facts of the graph one after the other, with their entities, and the pair that is asked about."""
GRAPH_NETWORKS: tuple[str, ...] = get_args(GraphNetwork)
"""Read the whole graph, in which the two entities are marked; the two called story know entities by number instead."""


@dataclass(frozen=True)
class TrainingSettings(Settings):
    """What all baselines have in common."""

    architecture: SequenceEncoder | StoryEncoder | GraphNetwork = "lstm"
    """Which network reads a question."""
    seed: int = setting(0, least=0, most=2**63 - 1)
    """Decides the first weights, the order of the examples and what dropout leaves out."""
    epochs: int = setting(100, least=1, most=1_000_000)
    """The most passes over the distinct examples; where these are few, several passes count as one."""
    patience: int = setting(10, least=0, most=1_000_000)
    """Epochs without a better one after which training stops; 0: never."""
    batch_size: int = setting(64, least=1, most=1_000_000)
    """Distinct examples in one step of the optimiser (Adam)."""
    learning_rate: float = setting(0.001, above=0)
    """The step size of the optimiser."""
    embedding: int = setting(100, least=1, most=10_000)
    """Numbers that describe a relation, or a node."""
    dropout: float = setting(0.0, least=0, below=1)
    """The share of these numbers that is left out at random in training."""
    held_out: HeldOut = "none"
    """Where no validation data is given, a tenth of the training examples to choose the epoch by: as they are (short),
    or put together to longer ones (long)."""


@dataclass(frozen=True)
class EncoderSettings(TrainingSettings):
    """What all encoders of a sequence have in common."""

    hidden: int = setting(100, least=1, most=10_000)
    """Units of a recurrent network in each direction, or filters of each width of a convolution."""
    heads: int = setting(4, least=1, most=1000)
    """Attention heads, which share the embedding among them."""
    highways: int = setting(2, least=0, most=100)
    """Highway layers."""


@dataclass(frozen=True)
class SequenceSettings(PathSettings, EncoderSettings):
    """A path is read as a sequence of relations; what several paths say is averaged."""

    def check(self) -> None:
        """Attention heads share the embedding."""
        if self.architecture == "mha" and self.embedding % self.heads:
            raise SettingsError(f"heads must divide embedding, {self.embedding}; {self.heads} does not")


@dataclass(frozen=True)
class NumberedSettings(TrainingSettings):
    """Of networks that know the entities of a graph by numbers, in the order of their names."""

    entities: int = setting(20, least=1, most=10_000)
    """How many entities have a vector; all others share the last one."""
    edge_limit: int = setting(10_000, least=1)
    """The most edges of one example's graph, all of which is read."""


@dataclass(frozen=True)
class StorySettings(EncoderSettings, NumberedSettings):
    """A graph is read as a sequence of entity, relation, entity, entity, ..., fact by fact."""

    outputs: int = setting(30, least=1, most=10_000)
    """Numbers to which a convolution is projected."""


@dataclass(frozen=True)
class GraphSettings(NumberedSettings):
    """Each layer passes messages along the edges; the answer is read off the two nodes and the mean of all."""

    epochs: int = setting(40, least=1, most=1_000_000)
    dropout: float = setting(0.1, least=0, below=1)
    layers: int = setting(4, least=1, most=100)
    """Layers of messages, each with weights of its own."""
    rounds: int = setting(1, least=1, most=100)
    """How often the layers are gone through; a node sees as far as layers times rounds."""
    marks: Literal["roles", "numbers"] = "roles"
    """What a node starts with: the vector of its role in the question, or that of its number among the names."""
    heads: int = setting(2, least=1, most=1000)
    """Attention heads of GAT and E-GAT, averaged."""
    inverse: bool = True
    """Whether messages also flow against the edges, as other relations."""


@dataclass(frozen=True)
class BaselineSettings(SequenceSettings, StorySettings, GraphSettings):
    """All that any baseline has, for the signature of `NeuralReasoner`; each has those of its own kind."""


# The sizes of the published CLUTRR baselines; these train for up to 100 epochs.
_STORY = {"batch_size": 100, "held_out": "short", "epochs": 40, "patience": 8}
_STORY_GRAPH = {**_STORY, "layers": 2, "rounds": 3, "inverse": False, "marks": "numbers"}

_PRESETS: dict[str, dict[str, Any]] = {
    "mha": {"dropout": 0.1},  # as in the paper that introduced it, Vaswani et al. (2017)
    # Appendix B of the R5 paper.
    "rgcn": {"learning_rate": 0.001, "embedding": 200, "epochs": 20, "layers": 4, "dropout": 0.1},
    **dict.fromkeys(STORY_ENCODERS, _STORY),
    "story-cnnh": {**_STORY, "outputs": 16},
    "story-mha": {**_STORY, "heads": 3},
    "story-gcn": {**_STORY_GRAPH, "dropout": 0.6},
    "story-gat": {**_STORY_GRAPH, "dropout": 0.6, "heads": 3},
}

HOLDING_OUT = frozenset(name for name, preset in _PRESETS.items() if "held_out" in preset)
"""Those that by default choose their epoch on a held-out part of the training examples."""
VARYING = frozenset(
    {
        *("epochs", "dropout", "heads", "learning_rate", "embedding", "layers"),
        *("batch_size", "patience", "held_out", "outputs", "rounds", "inverse", "marks"),
    }
)
"""Settings whose defaults depend on the architecture."""


def settings_of(architecture: str, **changes: Any) -> TrainingSettings:
    """The settings of an architecture, with changes; a name that is not a setting of it is an error.

    >>> settings_of("rgcn", seed=3).embedding
    200
    """
    if architecture in SEQUENCE_ENCODERS:
        kind: type[TrainingSettings] = SequenceSettings
    elif architecture in STORY_ENCODERS:
        kind = StorySettings
    elif architecture in GRAPH_NETWORKS:
        kind = GraphSettings
    else:
        known = ", ".join(SEQUENCE_ENCODERS + GRAPH_NETWORKS + STORY_ENCODERS)
        raise SettingsError(f"no architecture is called {architecture!r}; expected one of {known}")
    values = {**_PRESETS.get(architecture, {}), **changes, "architecture": architecture}
    return build_settings(kind, f"the baseline {architecture}", values)
