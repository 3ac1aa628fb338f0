"""ChainModel: for each step that can be asked for its rules and their weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import exp
from r5.chains.calibration.fact_probability import FactCalibration
from r5.chains.rivals import Rivals
from r5.chains.steps import IdArray
from r5.chains.trie import Trie, make_trie
from r5.chains.weight_kernels import Weights

__all__ = ["ChainModel", "Heat", "Target"]


class Heat(NamedTuple):
    """What scores are divided by before they become probabilities: it may rise with how far the first stands out.

    A part of the probability may be spread evenly over all candidates: for answers that no rule leads to.
    """

    temperature: float = 1.0
    rise: float = 0.0
    spread: float = 0.0

    def of(self, share: float) -> float:
        """The temperature of a question whose first answer has a share, at a temperature of 1."""
        return self.temperature * float(exp(self.rise * share))


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
    heat: Heat
    rivals: Rivals = field(default_factory=Rivals)
    facts: FactCalibration = field(default_factory=FactCalibration.uncalibrated)
    """Probability that a fact is true."""
    confidences: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    """Confidence of the rules of each target, by step: support / (predictions + 5), [rules]."""

    def confidences_of(self, target: Target) -> NDArray[np.float64]:
        """Return the confidence of each rule of a target; 0 where it was not counted."""
        found = self.confidences.get(target.step)
        return np.zeros(len(target)) if found is None or found.size != len(target) else found
