"""Registry of engines and baselines, those of installed packages included, and the loading of their models."""

from __future__ import annotations

import inspect
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

from r5._util.plugins import load_plugins
from r5.baselines import methods
from r5.errors import R5Error
from r5.reasoners.base import Reasoner
from r5.storage.folder import ModelError, StoredModel, read_model

__all__ = [
    "BASELINES",
    "ENGINES",
    "engine_class",
    "installed_engines",
    "load_model",
    "make_reasoner",
    "restore_reasoner",
]

ENTRY_POINTS = "r5.engines"
"""Entry-point group of engines in installed packages; each entry is a subclass of `Reasoner`."""

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
    """Return the class of an engine, built in or of an installed package, or of a baseline.

    Raises:
        R5Error: There is no such engine.

    """
    offered = {**ENGINES, **BASELINES}
    if engine in offered:
        return _import_class(offered[engine])
    installed = installed_engines()
    if engine not in installed:
        names = [*ENGINES, *installed, *BASELINES]
        raise R5Error(f"no engine is called {engine!r}; expected {', '.join(names[:-1])} or {names[-1]}")
    return installed[engine]


def installed_engines() -> dict[str, type[Reasoner]]:
    """Return the engines of installed packages by name; warn about those that fail to load and leave them out."""
    found: dict[str, type[Reasoner]] = {}
    kinds: list[Any] = [*load_plugins(ENTRY_POINTS, type, "engine")]
    for kind in kinds:
        problem = _problem(kind, found)
        if problem:
            warnings.warn(f"the engine {kind.__module__}.{kind.__qualname__} is left out: it {problem}", stacklevel=3)
        else:
            found[kind.engine] = kind
    return found


def _problem(kind: type, found: dict[str, type[Reasoner]]) -> str:
    """Return the reason that a class cannot be an engine; empty for an engine."""
    if not issubclass(kind, Reasoner):
        return "is not a subclass of Reasoner"
    if inspect.isabstract(kind):
        return f"lacks {', '.join(sorted(kind.__abstractmethods__))}"
    name = getattr(kind, "engine", None)
    if not isinstance(name, str) or not name:
        return "has no name in its attribute engine"
    taken = name in found or name in (*ENGINES, *BASELINES, *_COMPOSITES)
    return f"is called {name!r} as another engine" if taken else ""


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
    if engine not in BASELINES:
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
    if stored.engine in offered:
        return _import_class(offered[stored.engine]).from_stored(stored)
    installed = installed_engines()
    if stored.engine not in installed:
        raise ModelError(f"the model is of an engine that is not known, {stored.engine!r}")
    return installed[stored.engine].from_stored(stored)


def _import_class(location: tuple[str, str]) -> type[Reasoner]:
    module, name = location
    found: type[Reasoner] = getattr(import_module(module), name)
    return found
