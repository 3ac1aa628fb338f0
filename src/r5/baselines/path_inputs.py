"""What sequence encoders read: the relations along the paths of a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from r5.baselines.inputs import Bags, Codes, IntColumn
from r5.paths.search import PathSet
from r5.relations import Vocabulary

__all__ = ["PathBatch", "PathInputs", "read_paths"]


class PathBatch(NamedTuple):
    """Paths side by side."""

    relations: Tensor  # [paths, longest], from 1 on; 0 behind the end and for a relation never seen in training
    lengths: Tensor  # [paths]


@dataclass(frozen=True, eq=False)
class PathInputs:
    """Distinct paths."""

    relations: IntColumn  # [paths, longest], from 1 on; 0 behind the end and for a relation never seen in training
    lengths: IntColumn  # [paths]

    def __len__(self) -> int:
        return int(self.lengths.size)

    def batch(self, rows: IntColumn) -> PathBatch:
        """Some of the paths, cut to the longest of them."""
        lengths = self.lengths[rows]
        relations = self.relations[rows, : int(lengths.max(initial=1))]
        return PathBatch(torch.from_numpy(relations), torch.from_numpy(lengths))


def read_paths(found: PathSet, codes: Codes, vocabulary: Vocabulary) -> Bags:
    """The paths in the numbers that the network was made for; equal ones are read once."""
    lengths = np.diff(found.sequences.offsets)
    table = np.zeros((lengths.size, 1 + int(lengths.max(initial=1))), dtype=np.int64)
    table[:, 0] = lengths
    row = np.repeat(np.arange(lengths.size), lengths)
    column = np.arange(row.size) - np.repeat(found.sequences.offsets[:-1], lengths)
    table[row, column + 1] = codes.of_relations(found.vocabulary, vocabulary)[found.sequences.values]
    distinct, place = np.unique(table, axis=0, return_inverse=True)
    return Bags(PathInputs(distinct[:, 1:], distinct[:, 0]), place.reshape(-1), found.starts)
