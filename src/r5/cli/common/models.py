"""Models that commands load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.reasoners.chains import ChainReasoner

__all__ = ["load_chains_model"]


def load_chains_model(path: str) -> ChainReasoner:
    """Load a model that completes graphs.

    Raises:
        R5Error: The model is of another engine.
    """
    from r5.reasoners.chains import ChainReasoner
    from r5.reasoners.registry import load_model

    found = load_model(path)
    if not isinstance(found, ChainReasoner):
        raise R5Error(f"{path}: the engine {found.engine} completes no graphs; train with --engine chains")
    return found
