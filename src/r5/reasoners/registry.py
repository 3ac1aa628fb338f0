"""Registry of engines and baselines, and the loading of their models."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from r5.baselines import methods
from r5.errors import R5Error
from r5.reasoners.base import Reasoner
from r5.storage.folder import ModelError, StoredModel, read_model

__all__ = ["BASELINES", "ENGINES", "engine_class", "load_model", "make_reasoner", "restore_reasoner"]

# Imported on first use, since the paper's engine and the baselines need PyTorch.
ENGINES = {
    "r5": ("r5.reasoners.r5", "R5Reasoner"),
    "grammar": ("r5.reasoners.grammar", "GrammarReasoner"),
    "chains": ("r5.reasoners.chains", "ChainReasoner"),
}
"""Module and class of each engine."""
BASELINES = dict.fromkeys(methods.BASELINES, ("r5.reasoners.baseline", "BaselineReasoner"))
"""Module and class of each baseline."""
_COMPOSITES = {"augmented": ("r5.reasoners.augmented", "AugmentedReasoner")}
"""Reasoners made of other reasoners; only model folders name them."""


def engine_class(engine: str) -> type[Reasoner]:
    """Return the class of an engine or a baseline.

    Raises:
        R5Error: There is no such engine.

    """
    offered = {**ENGINES, **BASELINES}
    if engine not in offered:
        names = list(offered)
        raise R5Error(f"no engine is called {engine!r}; expected {', '.join(names[:-1])} or {names[-1]}")
    return _import_class(offered[engine])


def make_reasoner(engine: str, **settings: Any) -> Reasoner:
    """Return an untrained reasoner.

    Args:
        engine: Name of an engine or a baseline.
        settings: Settings that differ from the defaults.

    Raises:
        R5Error: There is no such engine, or it has no such setting or value.

    >>> make_reasoner("lstm", seed=3).get_params()["seed"]
    3
    """
    kind = engine_class(engine)
    if engine in ENGINES:
        return kind(**settings)
    if settings.get("method", engine) != engine:
        raise R5Error(f"the baseline {engine} cannot have the method {settings['method']!r}")
    return kind(**{**settings, "method": engine})


def load_model(path: str | Path) -> Reasoner:
    """Return the reasoner of a model folder, of any engine; it predicts the same as the saved one.

    Args:
        path: The model folder.

    Raises:
        ModelError: The folder is damaged, or of another version.

    """
    return restore_reasoner(read_model(path))


def restore_reasoner(stored: StoredModel) -> Reasoner:
    """Return the reasoner of a stored model.

    Raises:
        ModelError: The engine is unknown, or the parts of the model do not fit together.

    """
    offered = {**ENGINES, **BASELINES, **_COMPOSITES}
    if stored.engine not in offered:
        raise ModelError(f"the model is of an engine that is not known, {stored.engine!r}")
    return _import_class(offered[stored.engine]).from_stored(stored)


def _import_class(location: tuple[str, str]) -> type[Reasoner]:
    module, name = location
    found: type[Reasoner] = getattr(import_module(module), name)
    return found
