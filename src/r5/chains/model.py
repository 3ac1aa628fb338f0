"""ChainModel: for each step that can be asked for its rules and their weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5.chains.steps import IdArray
from r5.chains.trie import Trie, make_trie
from r5.chains.weight_kernels import Weights

__all__ = ["ChainModel", "Target"]


@dataclass(frozen=True, eq=False)
class Target:
    """What is known about one step that can be asked for."""

    step: int
    bodies: tuple[tuple[int, ...], ...]
    constants: IdArray  # [rules with constants, 4], as `r5.chains.constants` has them; their weights follow the others
    weights: Weights

    def __len__(self) -> int:
        return len(self.bodies) + len(self.constants)

    @cached_property
    def trie(self) -> Trie:
        """The bodies, to be followed together."""
        return make_trie(self.bodies)


@dataclass(frozen=True, eq=False)
class ChainModel:
    """All targets, over relations by name; it can be used on any graph, with the constants that are there too."""

    relations: tuple[str, ...]
    symmetric: NDArray[np.bool_]  # [relations]
    targets: dict[int, Target]
    frontier: int
    """Chains that lead to more entities say nothing."""
    entities: tuple[str, ...]
    """The names of the entities that are constants in rules."""
    temperature: float
    """What scores are divided by before they become probabilities."""
