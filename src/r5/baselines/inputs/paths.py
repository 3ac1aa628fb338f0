"""Path inputs: the relations along the paths between source and target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from r5.baselines.inputs.bags import Bags
from r5.baselines.inputs.relation_index import IntArray, RelationIndex
from r5.paths.search import PathSet
from r5.relations import Vocabulary

__all__ = ["PathBatch", "PathInputs", "read_paths"]


class PathBatch(NamedTuple):
    """Paths, padded to the length of the longest."""

    relations: Tensor
    """[paths, longest], from 1 on; 0 for padding and for a relation unseen in training."""
    lengths: Tensor
    """[paths]."""


@dataclass(frozen=True, eq=False)
class PathInputs:
    """Distinct paths."""

    relations: IntArray
    """[paths, longest], from 1 on; 0 for padding and for a relation unseen in training."""
    lengths: IntArray
    """[paths]."""

    def __len__(self) -> int:
        return int(self.lengths.size)

    def batch(self, rows: IntArray) -> PathBatch:
        """Return some of the paths, padded to the longest of them."""
        lengths = self.lengths[rows]
        relations = self.relations[rows, : int(lengths.max(initial=1))]
        return PathBatch(torch.from_numpy(relations), torch.from_numpy(lengths))


def read_paths(paths: PathSet, index: RelationIndex, vocabulary: Vocabulary) -> Bags:
    """Return the distinct paths of each example, with relations by their input numbers.

    Args:
        paths: Paths of the examples.
        index: Relations of the network.
        vocabulary: Vocabulary of the index.

    """
    lengths = np.diff(paths.sequences.offsets)
    table = np.zeros((lengths.size, 1 + int(lengths.max(initial=1))), dtype=np.int64)
    table[:, 0] = lengths
    row = np.repeat(np.arange(lengths.size), lengths)
    column = np.arange(row.size) - np.repeat(paths.sequences.offsets[:-1], lengths)
    table[row, column + 1] = index.input_numbers(paths.vocabulary, vocabulary)[paths.sequences.values]
    distinct, rows = np.unique(table, axis=0, return_inverse=True)
    return Bags(PathInputs(distinct[:, 1:], distinct[:, 0]), rows.reshape(-1), paths.starts)
