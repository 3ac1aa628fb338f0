"""RelationIndex: input and output numbers of the relations that a baseline has been trained on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5.relations import Vocabulary

__all__ = ["IntArray", "RelationIndex"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class RelationIndex:
    """Relations that a baseline reads and relations that it predicts, as ascending ids of its vocabulary."""

    inputs: tuple[int, ...]
    answers: tuple[int, ...]

    @classmethod
    def of(cls, inputs: NDArray[np.integer], answers: NDArray[np.integer]) -> RelationIndex:
        """Return the index of the relations that occur in two arrays of ids."""
        return cls(tuple(np.unique(inputs).tolist()), tuple(np.unique(answers).tolist()))

    def input_numbers(self, names: Vocabulary, vocabulary: Vocabulary) -> IntArray:
        """Return the input number of each relation, from 1 on; 0 for a relation unseen in training.

        Args:
            names: Relations to number.
            vocabulary: Vocabulary of the ids in this index.

        Returns:
            [relations of `names`].

        """
        return _positions(self.inputs, names, vocabulary) + 1

    def answer_numbers(self, names: Vocabulary, vocabulary: Vocabulary) -> IntArray:
        """Return the class of each relation; -1 for a relation that is no answer in training.

        Args:
            names: Relations to number.
            vocabulary: Vocabulary of the ids in this index.

        Returns:
            [relations of `names` + 1]; the last entry is -1, so that the id -1 (no answer) maps to -1.

        """
        return np.append(_positions(self.answers, names, vocabulary), -1)


def _positions(ids: tuple[int, ...], names: Vocabulary, vocabulary: Vocabulary) -> IntArray:
    position = {relation: number for number, relation in enumerate(ids)}
    return np.array([position.get(relation, -1) for relation in names.ids_in(vocabulary)], dtype=np.int64)
