"""Batches: questions as columns, cut into pieces whose charts are filled at once, by whoever is given them.

How they are cut depends on nothing but the questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray, IntArray, frozen
from r5._util.elementary_kernels import log
from r5._util.ragged import Ragged
from r5.grammar.charts.spans import Spans
from r5.parallel.packing import Fields

__all__ = ["Batch", "BatchPlan", "ExampleColumns", "Row", "make_batch"]

_CELL_ENTRIES = 4_000_000
"""Entries of the chart cells of one batch; 20 bytes each while counting."""
_WIDEST_CELL = 66
"""Entries that a cell is taken to have at most: with more relations, only few have a derivation while learning."""

Row = tuple[tuple[tuple[int, ...], ...], int, float]
"""The paths of a question, its label and its weight."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Questions whose charts are filled at once."""

    spans: Spans
    question_of: IntArray  # [paths]
    labels: IntArray  # [questions]
    weights: FloatArray  # [questions]
    background: FloatArray  # [paths], log probability of the path where it has nothing to do with the answer


@dataclass(frozen=True, eq=False)
class ExampleColumns(Fields):
    """Questions without an object for each."""

    paths: Ragged  # of all questions, one after the other
    first: NDArray[np.int64]  # [questions + 1], where the paths of each begin
    labels: IntArray  # [questions]
    weights: FloatArray  # [questions]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> ExampleColumns:
        """The columns of questions."""
        first = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(paths) for paths, _, _ in rows], out=first[1:])
        return cls(
            Ragged.of([path for paths, _, _ in rows for path in paths]),
            first,
            frozen([label for _, label, _ in rows]),
            np.array([weight for _, _, weight in rows], dtype=np.float64),
        )

    def rows(self) -> Iterator[Row]:
        """The questions one by one."""
        paths = list(map(tuple, self.paths.rows()))
        for (start, stop), label, weight in zip(
            pairwise(self.first.tolist()), self.labels.tolist(), self.weights.tolist(), strict=True
        ):
            yield tuple(paths[start:stop]), label, weight

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """The length of the shortest path of each question."""
        sizes = np.diff(self.paths.offsets)
        return np.minimum.reduceat(sizes, self.first[:-1]) if sizes.size else sizes

    def part(self, start: int, stop: int) -> ExampleColumns:
        """The questions from one to before another."""
        first = self.first[start : stop + 1]
        offsets = self.paths.offsets[first[0] : first[-1] + 1]
        paths = Ragged(self.paths.values[offsets[0] : offsets[-1]], offsets - offsets[0])
        return ExampleColumns(paths, first - first[0], self.labels[start:stop], self.weights[start:stop])

    def take(self, places: NDArray[np.int64]) -> ExampleColumns:
        """Only these questions, in this order."""
        chosen = Ragged(frozen(np.arange(len(self.paths))), self.first).take(places)
        paths = self.paths.take(chosen.values.astype(np.int64))
        return ExampleColumns(paths, chosen.offsets, frozen(self.labels[places]), self.weights[places])

    def renamed(self, ids: IntArray) -> ExampleColumns:
        """The same with other ids for the relations, by the old ones."""
        paths = Ragged(frozen(ids[self.paths.values]), self.paths.offsets)
        return ExampleColumns(paths, self.first, frozen(ids[self.labels]), self.weights)

    def shortest(self, stretches: int) -> NDArray[np.int64]:
        """The places of the shortest questions, as far as they have no more distinct stretches of paths, rising.

        Of questions of one length those that come first in an order that mixes their labels are taken.
        """
        order = np.random.default_rng(0).permutation(self.labels.size)
        order = order[np.argsort(self.lengths[order], kind="stable")]
        seen: set[tuple[int, ...]] = set()
        for number, place in enumerate(order.tolist()):
            for row in range(self.first[place], self.first[place + 1]):
                path = self.paths[row].tolist()
                seen.update(tuple(path[i:j]) for i in range(len(path)) for j in range(i + 1, len(path) + 1))
            if number and len(seen) > stretches:
                return np.sort(order[:number])
        return np.sort(order)

    def occurrences(self, relations: int) -> FloatArray:
        """How often each relation occurs on the paths."""
        ways = np.diff(self.first)
        weights = np.repeat(np.repeat(self.weights / ways, ways), np.diff(self.paths.offsets))
        return np.bincount(self.paths.values, weights, minlength=relations).astype(np.float64)

    def frequencies(self, relations: int) -> FloatArray:
        """How common each relation is, in logarithms; the last entry is for relations never seen."""
        counts = self.occurrences(relations + 1) + 1.0
        frequencies: FloatArray = log(counts / counts.sum())
        return frequencies

    def cuts(self, relations: int) -> list[tuple[int, int]]:
        """Where batches begin and end: all about as large, and evenly many, so that two workers have the same to do."""
        sizes = np.diff(self.paths.offsets)
        entries = np.concatenate([[0], np.cumsum(sizes * (sizes + 1) // 2 * min(relations, _WIDEST_CELL))])[self.first]
        count = -(-int(entries[-1]) // _CELL_ENTRIES)
        count += count % 2 if count > 1 else 0
        marks = np.arange(1, count) * int(entries[-1]) // max(count, 1)
        places = np.unique([0, *np.searchsorted(entries, marks).tolist(), self.labels.size]).tolist()
        return list(pairwise(places))


class BatchPlan(NamedTuple):
    """What a batch is made of."""

    questions: ExampleColumns
    relations: int
    frequency: FloatArray  # [relations + 1], logarithms of how common each relation is on all paths of the corpus


def make_batch(piece: BatchPlan) -> Batch:
    """A batch of these questions."""
    questions, relations, frequency = piece
    paths, ways = questions.paths, np.diff(questions.first)
    several = np.repeat(ways > 1, ways)
    row_of = np.repeat(np.arange(several.size), np.diff(paths.offsets))
    chance = np.bincount(row_of, frequency[paths.values], minlength=several.size)
    return Batch(
        spans=Spans.of(paths, relations),
        question_of=frozen(np.repeat(np.arange(ways.size), ways)),
        labels=questions.labels,
        weights=questions.weights,
        background=np.where(several, chance, 0.0),
    )
