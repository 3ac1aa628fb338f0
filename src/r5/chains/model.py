"""ChainModel: rules and weights of each relation and direction."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import exp
from r5.chains.calibration.fact_probability import FactCalibration
from r5.chains.features.trie import Trie, make_trie
from r5.chains.graph.step_graph import IdArray
from r5.chains.similarity.evidence import SimilarityWeights
from r5.chains.training.weight_kernels import Weights
from r5.chains.tuning.exclusions import Exclusions

__all__ = ["ChainModel", "RelationModel", "Temperature"]


class Temperature(NamedTuple):
    """Divisor of the scores before the softmax; it may rise with the share of the first answer.

    `spread` is the part of the probability that is distributed evenly over all candidates, for answers that no rule
    reaches.
    """

    base: float = 1.0
    rise: float = 0.0
    spread: float = 0.0

    def of(self, share: float) -> float:
        """Return the temperature for a query whose first answer has a share at temperature 1."""
        return self.base * float(exp(self.rise * share))


@dataclass(frozen=True, eq=False)
class RelationModel:
    """Rules and weights of one relation in one direction."""

    step: int
    bodies: tuple[tuple[int, ...], ...]
    constants: IdArray  # [rules with constants, 4], as in `r5.chains.features.constant_index`; their weights follow
    weights: Weights

    def __len__(self) -> int:
        return len(self.bodies) + len(self.constants)

    @cached_property
    def trie(self) -> Trie:
        """Trie of the bodies."""
        return make_trie(self.bodies)


@dataclass(frozen=True, eq=False)
class ChainModel:
    """Rules and weights of all relations; usable on any graph that has some of the relations."""

    relations: tuple[str, ...]
    symmetric: NDArray[np.bool_]  # [relations]
    targets: dict[int, RelationModel]
    frontier: int
    """Maximum number of entities that a chain may reach; beyond it, the chain has no effect."""
    entities: tuple[str, ...]
    """Names of the entities that are constants in rules."""
    temperature: Temperature
    exclusions: Exclusions = field(default_factory=Exclusions)
    facts: FactCalibration = field(default_factory=FactCalibration.uncalibrated)
    """Probability that a fact is true."""
    similarity: SimilarityWeights = field(default_factory=SimilarityWeights)
    """Weights of the evidence of similar entities."""
    confidences: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    """Confidence of the rules of each target, by step: support / (predictions + 5), [rules]."""

    def confidences_of(self, target: RelationModel) -> NDArray[np.float64]:
        """Return the confidence of each rule of a target; 0 where it was not counted."""
        found = self.confidences.get(target.step)
        return np.zeros(len(target)) if found is None or found.size != len(target) else found
