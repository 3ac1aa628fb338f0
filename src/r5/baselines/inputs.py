"""Bags, as in multiple-instance learning: what a network reads for each example, distinct inputs once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from r5.relations import Vocabulary

__all__ = ["Bags", "Codes", "Inputs", "TrainingPairs"]

IntColumn = NDArray[np.int64]


class Inputs(Protocol):
    """Distinct things for a network to read."""

    def __len__(self) -> int: ...

    def batch(self, rows: IntColumn) -> Any:
        """Some of them as the network takes them."""


@dataclass(frozen=True)
class Codes:
    """The relations that a network can read, and those that it can answer, as ids of its vocabulary."""

    relations: tuple[int, ...]
    answers: tuple[int, ...]

    @classmethod
    def of(cls, relations: NDArray[np.integer], answers: NDArray[np.integer]) -> Codes:
        """Those that occur here."""
        return cls(tuple(np.unique(relations).tolist()), tuple(np.unique(answers).tolist()))

    def of_relations(self, names: Vocabulary, vocabulary: Vocabulary) -> IntColumn:
        """For each relation id of `names`, its input number from 1 on; 0 for one that was never seen in training."""
        return _numbered(self.relations, names, vocabulary) + 1

    def of_answers(self, names: Vocabulary, vocabulary: Vocabulary) -> IntColumn:
        """For each relation id of `names` and, last, for none: its class; -1 for one that was never an answer."""
        return np.append(_numbered(self.answers, names, vocabulary), -1)


def _numbered(ids: tuple[int, ...], names: Vocabulary, vocabulary: Vocabulary) -> IntColumn:
    place = {relation: number for number, relation in enumerate(ids)}
    return np.array([place.get(relation, -1) for relation in names.ids_in(vocabulary)], dtype=np.int64)


@dataclass(frozen=True)
class TrainingPairs:
    """Distinct pairs of an input and its answer, and how often each occurs."""

    inputs: Inputs
    rows: IntColumn  # [pairs], of the inputs
    answers: IntColumn  # [pairs], classes
    weights: NDArray[np.float32]  # [pairs]


@dataclass(frozen=True)
class Bags:
    """The inputs of each example: example i has `rows[starts[i]:starts[i + 1]]`, none where nothing can be read."""

    inputs: Inputs
    rows: IntColumn
    starts: IntColumn  # [examples + 1]

    def __len__(self) -> int:
        return int(self.starts.size) - 1

    def pairs(self, answers: IntColumn) -> TrainingPairs:
        """What there is to learn where each example's answer is known; several inputs of one share its weight."""
        counts = np.diff(self.starts)
        shares = np.repeat(1 / np.maximum(counts, 1), counts)
        classes = int(answers.max(initial=0)) + 1
        keys, place = np.unique(self.rows * classes + np.repeat(answers, counts), return_inverse=True)
        weights = np.bincount(place, shares, minlength=keys.size).astype(np.float32)
        return TrainingPairs(self.inputs, keys // classes, keys % classes, weights)

    def averaged(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """From each input's probabilities to each example's, [examples, classes]; zeros where nothing can be read."""
        counts = np.diff(self.starts)
        total = np.zeros((len(self), probabilities.shape[1]))
        np.add.at(total, np.repeat(np.arange(len(self)), counts), probabilities[self.rows])
        return total / np.maximum(counts, 1)[:, None]
