"""Settings of a baseline by its name, with published or tuned defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from r5._util.settings import SettingsError, build_settings
from r5.baselines.methods import (
    BASELINES,
    GRAPH_NETWORKS,
    SEQUENCE_ENCODERS,
    STORY_ENCODERS,
)
from r5.baselines.networks.settings import GraphSettings, HeldOut, SequenceSettings, StorySettings, TrainingSettings
from r5.baselines.rule_learners.settings import LearnerSettings, NeuralLPSettings, ProverSettings, RNNLogicSettings

__all__ = [
    "HELD_OUT_METHODS",
    "VARYING",
    "BaselineSettings",
    "GraphSettings",
    "HeldOut",
    "LearnerSettings",
    "NeuralLPSettings",
    "ProverSettings",
    "RNNLogicSettings",
    "SequenceSettings",
    "StorySettings",
    "TrainingSettings",
    "baseline_settings",
]


@dataclass(frozen=True)
class BaselineSettings(
    SequenceSettings, StorySettings, GraphSettings, ProverSettings, NeuralLPSettings, RNNLogicSettings
):
    """Settings of all baselines, for the signature of `BaselineReasoner`; each baseline has those of its kind."""


_KINDS: dict[str, type[TrainingSettings | LearnerSettings]] = {
    **dict.fromkeys(SEQUENCE_ENCODERS, SequenceSettings),
    **dict.fromkeys(STORY_ENCODERS, StorySettings),
    **dict.fromkeys(GRAPH_NETWORKS, GraphSettings),
    **dict.fromkeys(("ctp-l", "ctp-a", "ctp-m", "gntp"), ProverSettings),
    "neural-lp": NeuralLPSettings,
    "rnnlogic": RNNLogicSettings,
}

# Sizes of the published CLUTRR baselines, which train for up to 100 epochs.
_STORY = {"batch_size": 100, "held_out": "short", "epochs": 40, "patience": 8}
_STORY_GRAPH = {**_STORY, "layers": 2, "rounds": 3, "inverse": False, "node_features": "numbers"}
_PATHS = {"training_paths": "simple", "longest_path": 5}

_PRESETS: dict[str, dict[str, Any]] = {
    "mha": {"dropout": 0.1},  # Vaswani et al. (2017)
    # Appendix B of the R5 paper.
    "rgcn": {"learning_rate": 0.001, "embedding": 200, "epochs": 20, "layers": 4, "dropout": 0.1},
    **dict.fromkeys(STORY_ENCODERS, _STORY),
    "story-cnnh": {**_STORY, "projection": 16},
    "story-mha": {**_STORY, "heads": 3},
    "story-gcn": {**_STORY_GRAPH, "dropout": 0.6},
    "story-gat": {**_STORY_GRAPH, "dropout": 0.6, "heads": 3},
    **{name: {"restarts": 8, "answer_depth": 5, "modules": 8, "learning_rate": 0.05} for name in ("ctp-l", "ctp-a")},
    "ctp-m": {"restarts": 8, "answer_depth": 5},
    "gntp": {"modules": 256},
    "neural-lp": {
        **{"epochs": 10, "batch_size": 64, "learning_rate": 0.001, "embedding": 128, "edge_queries": 10_000},
        **{**_PATHS, "path_limit": 20},
    },
    "rnnlogic": {
        **{"epochs": 3, "learning_rate": 0.01, "embedding": 32, "edge_queries": 20_000},
        **{**_PATHS, "path_limit": 50},
    },
}

HELD_OUT_METHODS = frozenset(name for name, preset in _PRESETS.items() if "held_out" in preset)
"""Baselines that by default choose their epoch on held-out training examples."""
VARYING = frozenset(
    {
        *("epochs", "dropout", "heads", "learning_rate", "embedding", "layers", "min_steps", "hidden"),
        *("batch_size", "patience", "held_out", "projection", "rounds", "inverse", "node_features"),
        *("modules", "restarts", "answer_depth", "training_paths", "longest_path", "path_limit", "edge_queries"),
    }
)
"""Settings whose defaults depend on the baseline."""


def baseline_settings(method: str, **changes: Any) -> TrainingSettings | LearnerSettings:
    """Return the settings of a baseline.

    Args:
        method: Name of the baseline.
        changes: Settings that differ from the defaults.

    Raises:
        SettingsError: There is no such baseline, it has no such setting, or a value is out of range.

    >>> baseline_settings("rgcn", seed=3).embedding
    200
    """
    if method not in BASELINES:
        raise SettingsError(f"no baseline is called {method!r}; expected one of {', '.join(BASELINES)}")
    values = {**_PRESETS.get(method, {}), **changes, "method": method}
    return build_settings(_KINDS[method], f"the baseline {method}", values)
