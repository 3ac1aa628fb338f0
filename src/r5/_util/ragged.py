"""Ragged array: rows of different lengths in one array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import IntArray, as_int_array

__all__ = ["Ragged"]


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Rows of different lengths in one array: row i is `values[offsets[i]:offsets[i + 1]]`."""

    values: IntArray
    offsets: NDArray[np.int64]  # [rows + 1]

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> Ragged:
        """Build from a list of rows."""
        offsets = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        return cls(as_int_array([value for row in rows for value in row]), offsets)

    def take(self, rows: NDArray[np.int64]) -> Ragged:
        """Return the rows with these indices, in this order."""
        lengths = np.diff(self.offsets)[rows]
        offsets = np.zeros(rows.size + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        indices = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], lengths)
        return Ragged(as_int_array(self.values[indices]), offsets)

    def rows(self) -> Iterator[list[int]]:
        """Iterate over the rows as lists."""
        values, offsets = self.values.tolist(), self.offsets.tolist()
        return (values[start:stop] for start, stop in pairwise(offsets))

    def __len__(self) -> int:
        return int(self.offsets.size) - 1

    def __getitem__(self, row: int) -> IntArray:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ragged):
            return NotImplemented
        return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.values, other.values)

    __hash__ = None  # type: ignore[assignment]
