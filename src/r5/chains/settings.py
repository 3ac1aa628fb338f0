"""ChainSettings: the hyperparameters of the chains engine, a sentence on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from r5.errors import R5Error

__all__ = ["ChainSettings"]


@dataclass(frozen=True)
class ChainSettings:
    """One set of defaults serves every graph; each can be changed by name."""

    seed: int = 0
    """Decides which facts are mined and which candidates are drawn."""
    threads: int | None = None
    """Relations that are learned side by side; None for one on each core. The outcome does not depend on it."""

    @classmethod
    def from_names(cls, **settings: Any) -> ChainSettings:
        """The settings of these names; an unknown one is refused."""
        for name in settings:
            if name not in cls.__dataclass_fields__:
                raise R5Error(f"no setting is called {name!r}; known: {', '.join(cls.__dataclass_fields__)}")
        return cls(**settings)
