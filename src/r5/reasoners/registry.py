"""Which engines there are, and loading a model of any of them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from r5.errors import R5Error
from r5.reasoners.base import Reasoner
from r5.storage import read_model

__all__ = ["ENGINES", "load_model", "make_reasoner"]

# Imported when asked for: the paper's engine needs PyTorch, the other does not.
ENGINES = {
    "r5": ("r5.reasoners.r5", "R5Reasoner"),
    "grammar": ("r5.reasoners.grammar", "GrammarReasoner"),
}


def engine_class(engine: str) -> type[Reasoner]:
    """The class behind an engine's name."""
    if engine not in ENGINES:
        raise R5Error(f"no engine is called {engine!r}; expected {' or '.join(ENGINES)}")
    module, name = ENGINES[engine]
    found: type[Reasoner] = getattr(import_module(module), name)
    return found


def make_reasoner(engine: str, **settings: Any) -> Reasoner:
    """A reasoner that has learned nothing yet."""
    return engine_class(engine)(**settings)


def load_model(path: str | Path) -> Reasoner:
    """The reasoner in a model folder, whichever engine wrote it; it predicts what the saved one did."""
    stored = read_model(path)
    return engine_class(stored.engine).from_stored(stored)
