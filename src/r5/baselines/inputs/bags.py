"""Bags of distinct inputs, as in multiple-instance learning: an example has none, one or several inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from r5.baselines.inputs.relation_index import IntArray

__all__ = ["Bags", "Inputs", "TrainingPairs"]


class Inputs(Protocol):
    """Distinct inputs of a network."""

    def __len__(self) -> int: ...

    def batch(self, rows: IntArray) -> Any:
        """Return some inputs in the form that the network takes."""


@dataclass(frozen=True)
class TrainingPairs:
    """Distinct pairs of an input and an answer, with their weights."""

    inputs: Inputs
    rows: IntArray
    """Input of each pair, [pairs]."""
    answers: IntArray
    """Class of each pair, [pairs]."""
    weights: NDArray[np.float32]
    """Number of examples with the pair, [pairs]; the inputs of one example share its weight."""


@dataclass(frozen=True)
class Bags:
    """Inputs of each example: example i has `rows[offsets[i]:offsets[i + 1]]`, none where it has no input."""

    inputs: Inputs
    rows: IntArray
    offsets: IntArray
    """[examples + 1]."""

    def __len__(self) -> int:
        return int(self.offsets.size) - 1

    @property
    def owners(self) -> IntArray:
        """Example of each row, [rows]."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def pairs(self, answers: IntArray) -> TrainingPairs:
        """Return the distinct pairs of an input and the answer of its example.

        Args:
            answers: Class of each example, [examples].

        """
        counts = np.diff(self.offsets)
        shares = np.repeat(1 / np.maximum(counts, 1), counts)
        classes = int(answers.max(initial=0)) + 1
        keys, pair = np.unique(self.rows * classes + np.repeat(answers, counts), return_inverse=True)
        weights = np.bincount(pair, shares, minlength=keys.size).astype(np.float32)
        return TrainingPairs(self.inputs, keys // classes, keys % classes, weights)

    def average(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Average the probabilities of the inputs of each example.

        Args:
            probabilities: [inputs, classes].

        Returns:
            [examples, classes]; zeros for an example without inputs.

        """
        total = np.zeros((len(self), probabilities.shape[1]))
        np.add.at(total, self.owners, probabilities[self.rows])
        return total / np.maximum(np.diff(self.offsets), 1)[:, None]
