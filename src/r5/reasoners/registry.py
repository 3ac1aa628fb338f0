"""Which engines and baselines there are, and loading a model of any of them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from r5.baselines.learner_settings import RULE_LEARNERS
from r5.baselines.settings import GRAPH_NETWORKS, SEQUENCE_ENCODERS, STORY_ENCODERS
from r5.errors import R5Error
from r5.reasoners.base import Reasoner
from r5.storage.folder import ModelError, StoredModel, read_model

__all__ = ["BASELINES", "ENGINES", "load_model", "make_reasoner"]

# Imported when asked for: the paper's engine and the baselines need PyTorch, the other does not.
ENGINES = {
    "r5": ("r5.reasoners.r5", "R5Reasoner"),
    "grammar": ("r5.reasoners.grammar", "GrammarReasoner"),
    "chains": ("r5.reasoners.chains", "ChainReasoner"),
}

_NEURAL = (*SEQUENCE_ENCODERS, *STORY_ENCODERS, *GRAPH_NETWORKS)
BASELINES = {
    **dict.fromkeys(_NEURAL, ("r5.reasoners.neural", "NeuralReasoner")),
    **dict.fromkeys(RULE_LEARNERS, ("r5.reasoners.rule_learner", "RuleLearnerReasoner")),
}
"""What the engines are compared with: not engines of ours, but made, trained and loaded in the same way."""

_MADE_OF_OTHERS = {"augmented": ("r5.reasoners.augmented", "AugmentedReasoner")}
"""Made of reasoners that are there, so known by name only in model folders."""


def engine_class(engine: str) -> type[Reasoner]:
    """The class behind the name of an engine or a baseline."""
    offered = {**ENGINES, **BASELINES}
    if engine not in offered:
        names = list(offered)
        raise R5Error(f"no engine is called {engine!r}; expected {', '.join(names[:-1])} or {names[-1]}")
    return _imported(offered[engine])


def make_reasoner(engine: str, **settings: Any) -> Reasoner:
    """A reasoner that has learned nothing yet.

    >>> make_reasoner("lstm", seed=3).get_params()["seed"]
    3
    """
    found = engine_class(engine)
    if engine in ENGINES:
        return found(**settings)
    kind = "architecture" if engine in _NEURAL else "system"
    if settings.get(kind, engine) != engine:
        raise R5Error(f"the baseline {engine} cannot have the {kind} {settings[kind]!r}")
    return found(**{**settings, kind: engine})


def load_model(path: str | Path) -> Reasoner:
    """The reasoner in a model folder, whichever engine wrote it; it predicts what the saved one did."""
    return stored_reasoner(read_model(path))


def stored_reasoner(stored: StoredModel) -> Reasoner:
    """The reasoner that a model folder holds."""
    offered = {**ENGINES, **BASELINES, **_MADE_OF_OTHERS}
    if stored.engine not in offered:
        raise ModelError(f"the model is of an engine that is not known, {stored.engine!r}")
    return _imported(offered[stored.engine]).from_stored(stored)


def _imported(place: tuple[str, str]) -> type[Reasoner]:
    module, name = place
    found: type[Reasoner] = getattr(import_module(module), name)
    return found
