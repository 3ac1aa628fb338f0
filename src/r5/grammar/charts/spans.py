"""Spans: the distinct parts of many paths, so that each is worked out once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import IntArray, as_int_array
from r5._util.ragged import Ragged
from r5.grammar.charts.cell_kernels import SpanArrays

__all__ = ["Spans"]


@dataclass(frozen=True, slots=True)
class Spans:
    """All spans of all paths, shortest first; a chart has one cell for each.

    >>> spans = Spans.of(Ragged.of([[0, 1, 1], [1, 1]]), relations=2)
    >>> spans.lengths.tolist(), spans.roots.tolist()
    ([1, 1, 2, 2, 3], [4, 3])
    """

    observed: IntArray  # [tokens], the relations of all paths one after the other
    span_of: IntArray  # [longest, tokens], the span of each length at each token; -1 where a path ends before
    lengths: IntArray  # [spans]
    tokens: IntArray  # [spans], where the span occurs first
    roots: IntArray  # [paths], the span of the whole path

    @classmethod
    def of(cls, paths: Ragged, relations: int, shared: bool = True) -> Spans:
        """Return the spans of paths over relations 0..relations-1; unless `shared`, each occurrence is its own span."""
        sizes = np.diff(paths.offsets)
        longest = int(sizes.max(initial=0))
        observed = paths.values.astype(np.int64)
        remaining = np.repeat(paths.offsets[1:], sizes) - np.arange(
            observed.size
        )  # relations from a token to its path's end
        span_of = np.full((longest, observed.size), -1, dtype=np.int32)
        lengths, firsts = [], []
        before = np.zeros(observed.size, dtype=np.int64)
        count = 0
        for length in range(1, longest + 1):
            places = np.flatnonzero(remaining >= length)
            if shared:
                keys = before[places] * (relations + 1) + observed[places + length - 1]
                _, first, number = np.unique(keys, return_index=True, return_inverse=True)
            else:
                first = number = np.arange(places.size)
            before[places] = number
            span_of[length - 1, places] = number + count
            lengths.append(np.full(first.size, length))
            firsts.append(places[first])
            count += first.size
        roots = span_of[sizes - 1, paths.offsets[:-1]] if longest else np.empty(0)
        return cls(
            observed=as_int_array(observed),
            span_of=span_of,
            lengths=as_int_array(_joined(lengths)),
            tokens=as_int_array(_joined(firsts)),
            roots=as_int_array(roots),
        )

    @property
    def arrays(self) -> SpanArrays:
        """Arrays that the chart kernels read."""
        return SpanArrays(self.lengths, self.tokens, self.observed, self.span_of)

    def __len__(self) -> int:
        return int(self.lengths.size)


def _joined(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
