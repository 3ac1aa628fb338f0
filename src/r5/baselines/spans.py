"""Spans: the distinct stretches of paths, and how each can be split in two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Path", "Spans"]

Path = tuple[int, ...]


@dataclass(frozen=True)
class Spans:
    """All distinct stretches of up to `longest` relations of some paths, the shorter first."""

    found: tuple[Path, ...]
    paths: NDArray[np.int64]  # [paths], of each path its span; -1 for one that is longer than `longest`
    longest: int
    _splits: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = field(default_factory=dict)

    @classmethod
    def of(cls, paths: Sequence[Path], longest: int) -> Spans:
        """Of paths that differ from each other.

        >>> Spans.of([(0, 1, 0)], 2).found
        ((0,), (1,), (0, 1), (1, 0))
        """
        every = {
            path[start : start + size]
            for path in paths
            for size in range(1, min(longest, len(path)) + 1)
            for start in range(len(path) - size + 1)
        }
        found = tuple(sorted(every, key=lambda span: (len(span), span)))
        place = {span: number for number, span in enumerate(found)}
        return cls(found, np.array([place.get(path, -1) for path in paths], dtype=np.int64), longest)

    @cached_property
    def units(self) -> NDArray[np.int64]:
        """The relation of each span of one."""
        return np.array([span[0] for span in self.found if len(span) == 1], dtype=np.int64)

    def splits(self, half: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The parts of each span of 2 to 2 x `half` relations, neither of more than `half`, two of [spans, splits].

        A span with fewer splits than others has its first again: the best of them stays the same.
        """
        if half not in self._splits:
            self._splits[half] = self._split(half)
        return self._splits[half]

    def _split(self, half: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        place = {span: number for number, span in enumerate(self.found)}
        spans = [span for span in self.found if 1 < len(span) <= 2 * half]
        cuts = [range(max(1, len(span) - half), min(half, len(span) - 1) + 1) for span in spans]
        most = max(map(len, cuts), default=1)
        parts = np.zeros((2, len(spans), most), dtype=np.int64)
        for row, (span, places) in enumerate(zip(spans, cuts, strict=True)):
            for column in range(most):
                cut = places[column if column < len(places) else 0]
                parts[:, row, column] = place[span[:cut]], place[span[cut:]]
        return parts[0], parts[1]
