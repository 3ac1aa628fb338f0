"""Batches: examples as columns, cut into parts whose charts are filled at once.

The cuts depend on nothing but the examples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray, IntArray, as_int_array
from r5._util.kernels.elementary_kernels import log
from r5._util.ragged import Ragged
from r5.grammar.charts.spans import Spans
from r5.parallel.pickling import PickledFields

__all__ = ["Batch", "BatchPlan", "ExampleColumns", "Paths", "WeightedExample", "make_batch"]

_CELL_ENTRIES = 4_000_000
"""Maximum number of chart entries of one batch; an entry takes 20 bytes while counting."""
_MAX_CELL_ENTRIES = 66
"""Assumed maximum number of entries of a cell: with more relations, training charts are sparse."""

Paths = tuple[tuple[int, ...], ...]


class WeightedExample(NamedTuple):
    """Distinct paths between two entities, their relation, and the number of such examples."""

    paths: Paths
    label: int
    weight: float

    @property
    def length(self) -> int:
        """Length of the shortest path."""
        return min(map(len, self.paths))


@dataclass(frozen=True, eq=False)
class Batch:
    """Examples whose charts are filled at once."""

    spans: Spans
    example_of: IntArray  # [paths]
    labels: IntArray  # [examples]
    weights: FloatArray  # [examples]
    background: FloatArray  # [paths], log probability of the path where it has nothing to do with the answer


@dataclass(frozen=True, eq=False)
class ExampleColumns(PickledFields):
    """Examples as columns."""

    paths: Ragged  # of all examples, one after the other
    first: NDArray[np.int64]  # [examples + 1], where the paths of each begin
    labels: IntArray  # [examples]
    weights: FloatArray  # [examples]

    @classmethod
    def of(cls, examples: Sequence[WeightedExample]) -> ExampleColumns:
        """Return the columns of examples."""
        first = np.zeros(len(examples) + 1, dtype=np.int64)
        np.cumsum([len(paths) for paths, _, _ in examples], out=first[1:])
        return cls(
            Ragged.of([path for paths, _, _ in examples for path in paths]),
            first,
            as_int_array([label for _, label, _ in examples]),
            np.array([weight for _, _, weight in examples], dtype=np.float64),
        )

    def rows(self) -> Iterator[WeightedExample]:
        """Yield the examples one by one."""
        paths = list(map(tuple, self.paths.rows()))
        for (start, stop), label, weight in zip(
            pairwise(self.first.tolist()), self.labels.tolist(), self.weights.tolist(), strict=True
        ):
            yield WeightedExample(tuple(paths[start:stop]), label, weight)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Length of the shortest path of each example."""
        sizes = np.diff(self.paths.offsets)
        return np.minimum.reduceat(sizes, self.first[:-1]) if sizes.size else sizes

    def part(self, start: int, stop: int) -> ExampleColumns:
        """Return the examples of a range."""
        first = self.first[start : stop + 1]
        offsets = self.paths.offsets[first[0] : first[-1] + 1]
        paths = Ragged(self.paths.values[offsets[0] : offsets[-1]], offsets - offsets[0])
        return ExampleColumns(paths, first - first[0], self.labels[start:stop], self.weights[start:stop])

    def take(self, places: NDArray[np.int64]) -> ExampleColumns:
        """Return the examples at some positions, in that order."""
        chosen = Ragged(as_int_array(np.arange(len(self.paths))), self.first).take(places)
        paths = self.paths.take(chosen.values.astype(np.int64))
        return ExampleColumns(paths, chosen.offsets, as_int_array(self.labels[places]), self.weights[places])

    def renamed(self, ids: IntArray) -> ExampleColumns:
        """Return the examples with other relation ids, given by old id."""
        paths = Ragged(as_int_array(ids[self.paths.values]), self.paths.offsets)
        return ExampleColumns(paths, self.first, as_int_array(ids[self.labels]), self.weights)

    def shortest(self, span_limit: int) -> NDArray[np.int64]:
        """Return the sorted positions of the shortest examples within a number of distinct spans.

        Examples of one length are taken in an order that mixes their labels.
        """
        order = np.random.default_rng(0).permutation(self.labels.size)
        order = order[np.argsort(self.lengths[order], kind="stable")]
        seen: set[tuple[int, ...]] = set()
        for number, place in enumerate(order.tolist()):
            for row in range(self.first[place], self.first[place + 1]):
                path = self.paths[row].tolist()
                seen.update(tuple(path[i:j]) for i in range(len(path)) for j in range(i + 1, len(path) + 1))
            if number and len(seen) > span_limit:
                return np.sort(order[:number])
        return np.sort(order)

    def occurrences(self, relations: int) -> FloatArray:
        """Return the weighted number of occurrences of each relation on the paths."""
        ways = np.diff(self.first)
        weights = np.repeat(np.repeat(self.weights / ways, ways), np.diff(self.paths.offsets))
        return np.bincount(self.paths.values, weights, minlength=relations).astype(np.float64)

    def frequencies(self, relations: int) -> FloatArray:
        """Return the log frequency of each relation; the last entry is for unseen relations."""
        counts = self.occurrences(relations + 1) + 1.0
        frequencies: FloatArray = log(counts / counts.sum())
        return frequencies

    def cuts(self, relations: int, cell_entries: int | None = None) -> list[tuple[int, int]]:
        """Return the ranges of the batches: of about equal size, and of even number for two workers.

        Args:
            relations: Number of relations.
            cell_entries: Maximum number of chart entries of one batch.
        """
        sizes = np.diff(self.paths.offsets)
        entries = np.concatenate([[0], np.cumsum(sizes * (sizes + 1) // 2 * min(relations, _MAX_CELL_ENTRIES))])[
            self.first
        ]
        count = -(-int(entries[-1]) // (cell_entries or _CELL_ENTRIES))
        count += count % 2 if count > 1 else 0
        marks = np.arange(1, count) * int(entries[-1]) // max(count, 1)
        places = np.unique([0, *np.searchsorted(entries, marks).tolist(), self.labels.size]).tolist()
        return list(pairwise(places))

    def plans(self, relations: int, frequency: FloatArray) -> list[BatchPlan]:
        """Return the plan of each batch, with the log frequencies of the relations of a corpus."""
        return [BatchPlan(self.part(*cut), relations, frequency) for cut in self.cuts(relations)]


class BatchPlan(NamedTuple):
    """Arguments from which a batch is made."""

    examples: ExampleColumns
    relations: int
    frequency: FloatArray  # [relations + 1], logarithms of how common each relation is on all paths of the corpus


def make_batch(piece: BatchPlan) -> Batch:
    """Return the batch of a plan."""
    examples, relations, frequency = piece
    paths, ways = examples.paths, np.diff(examples.first)
    several = np.repeat(ways > 1, ways)
    row_of = np.repeat(np.arange(several.size), np.diff(paths.offsets))
    chance = np.bincount(row_of, frequency[paths.values], minlength=several.size)
    return Batch(
        spans=Spans.of(paths, relations),
        example_of=as_int_array(np.repeat(np.arange(ways.size), ways)),
        labels=examples.labels,
        weights=examples.weights,
        background=np.where(several, chance, 0.0),
    )
