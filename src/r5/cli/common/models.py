"""Models that commands load."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from r5.cli.common.first_run import prepare_kernels
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.reasoners.base import Reasoner
    from r5.reasoners.chains import ChainReasoner

__all__ = ["load_chains_model", "load_prepared"]


def load_prepared(path: str | Path, command: str, quiet: bool = False) -> Reasoner:
    """Load a model for a command, whose kernels are compiled first if they are not on disk."""
    from r5.reasoners.registry import restore_reasoner
    from r5.storage.folder import read_model

    stored = read_model(path)
    prepare_kernels(stored.engine, command, quiet)
    return restore_reasoner(stored)


def load_chains_model(path: str, command: str = "complete", quiet: bool = False) -> ChainReasoner:
    """Load a model that completes graphs, for a command.

    Raises:
        R5Error: The model is of another engine.
    """
    from r5.reasoners.chains import ChainReasoner

    found = load_prepared(path, command, quiet)
    if not isinstance(found, ChainReasoner):
        raise R5Error(f"{path}: the engine {found.engine} completes no graphs; train with --engine chains")
    return found
