"""Spans: the distinct parts of paths, and the ways to split each in two."""

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
    """All distinct spans of up to `longest` relations of some paths, shorter spans first."""

    spans: tuple[Path, ...]
    paths: NDArray[np.int64]
    """Span of each path, -1 for a path that is longer than `longest`, [paths]."""
    longest: int
    _splits: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = field(default_factory=dict)

    @classmethod
    def of(cls, paths: Sequence[Path], longest: int) -> Spans:
        """Return the spans of distinct paths.

        >>> Spans.of([(0, 1, 0)], 2).spans
        ((0,), (1,), (0, 1), (1, 0))
        """
        distinct = {
            path[start : start + size]
            for path in paths
            for size in range(1, min(longest, len(path)) + 1)
            for start in range(len(path) - size + 1)
        }
        spans = tuple(sorted(distinct, key=lambda span: (len(span), span)))
        number = {span: row for row, span in enumerate(spans)}
        return cls(spans, np.array([number.get(path, -1) for path in paths], dtype=np.int64), longest)

    @cached_property
    def units(self) -> NDArray[np.int64]:
        """Relation of each span of length one, [units]; these spans come first."""
        return np.array([span[0] for span in self.spans if len(span) == 1], dtype=np.int64)

    def splits(self, half: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the splits of each span of 2 to 2 * `half` relations into parts of at most `half`.

        Args:
            half: Maximum length of a part.

        Returns:
            Left and right part of each split, both [spans, splits]. The first split of a span pads its row, which does
            not change the best of them.

        """
        if half not in self._splits:
            self._splits[half] = self._split(half)
        return self._splits[half]

    def _split(self, half: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        number = {span: row for row, span in enumerate(self.spans)}
        spans = [span for span in self.spans if 1 < len(span) <= 2 * half]
        cuts = [range(max(1, len(span) - half), min(half, len(span) - 1) + 1) for span in spans]
        most = max(map(len, cuts), default=1)
        parts = np.zeros((2, len(spans), most), dtype=np.int64)
        for row, (span, positions) in enumerate(zip(spans, cuts, strict=True)):
            for column in range(most):
                cut = positions[column if column < len(positions) else 0]
                parts[:, row, column] = number[span[:cut]], number[span[cut:]]
        return parts[0], parts[1]
