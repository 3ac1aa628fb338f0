"""Corpus: questions with the paths that may explain their answers, in batches that fit in memory."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from r5._util.arrays import IntArray, frozen
from r5._util.budget import Budget
from r5._util.elementary_kernels import log
from r5._util.ragged import Ragged
from r5.grammar.charts.spans import Spans
from r5.grammar.model import FloatArray
from r5.parallel.cluster import Cluster, Held
from r5.parallel.local import Local

__all__ = ["Batch", "Corpus", "Paths", "Piece", "Question", "make_batch"]

Paths = tuple[tuple[int, ...], ...]

_CELL_ENTRIES = 4_000_000
"""Entries of the chart cells of one batch; 20 bytes each while counting."""
_WIDEST_CELL = 66
"""Entries that a cell is taken to have at most: with more relations, only few have a derivation while learning."""


@dataclass(frozen=True, slots=True)
class Question:
    """The distinct paths between two entities, their relation, and how often just that occurs."""

    paths: Paths
    label: int
    weight: float

    @property
    def length(self) -> int:
        """The length of the shortest path."""
        return min(map(len, self.paths))


@dataclass(frozen=True, eq=False)
class Batch:
    """Questions whose charts are filled at once."""

    spans: Spans
    question_of: IntArray  # [paths]
    labels: IntArray  # [questions]
    weights: FloatArray  # [questions]
    background: FloatArray  # [paths], log probability of the path where it has nothing to do with the answer


class Piece(NamedTuple):
    """What a batch is made of."""

    questions: Sequence[Question]
    relations: int
    frequency: FloatArray  # [relations + 1], logarithms of how common each relation is on all paths of the corpus


@dataclass(frozen=True)
class Corpus:
    """Distinct questions with weights.

    Of several paths of a question, one is taken to be the reason for the answer and the others
    to be there by chance, with relations as frequent as they are on all paths together.

    >>> corpus = Corpus.of([((0, 1),), ((0, 1),)], labels=[2, 2], relations=3)
    >>> corpus.questions
    (Question(paths=((0, 1),), label=2, weight=2.0),)
    """

    questions: tuple[Question, ...]
    relations: int

    @classmethod
    def of(cls, paths: Sequence[Paths], labels: Sequence[int], relations: int) -> Corpus:
        """Equal questions become one; those without a path teach nothing and are left out."""
        counts = Counter((tuple(sorted(set(ways))), label) for ways, label in zip(paths, labels, strict=True) if ways)
        return cls.weighted(counts, relations)

    @classmethod
    def weighted(cls, weights: Mapping[tuple[Paths, int], float], relations: int) -> Corpus:
        """Questions by their paths and label, with their weights."""
        return cls(tuple(Question(*key, float(weight)) for key, weight in sorted(weights.items())), relations)

    def up_to(self, length: int) -> Corpus:
        """Only the questions with a path of at most this length."""
        return Corpus(tuple(q for q in self.questions if q.length <= length), self.relations)

    def thinned(self, stretches: int) -> Corpus:
        """The shortest questions, as far as they have no more distinct stretches of paths, for all of them."""
        some = self.shortest(stretches)
        return self if len(some) == len(self.questions) else Corpus(some, self.relations).scaled(self.weight)

    def shortest(self, stretches: int) -> tuple[Question, ...]:
        """The shortest questions, as far as they have no more distinct stretches of paths, in order.

        Of questions of one length those that come first in an order that mixes their labels are taken.
        """
        order = np.random.default_rng(0).permutation(len(self.questions)).tolist()
        seen: set[tuple[int, ...]] = set()
        kept: list[int] = []
        for place in sorted(order, key=lambda place: self.questions[place].length):
            for path in self.questions[place].paths:
                seen.update(path[i:j] for i in range(len(path)) for j in range(i + 1, len(path) + 1))
            if kept and len(seen) > stretches:
                break
            kept.append(place)
        return tuple(self.questions[place] for place in sorted(kept))

    def scaled(self, weight: float) -> Corpus:
        """The same questions with so much weight in all."""
        factor = weight / self.weight
        return Corpus(tuple(replace(q, weight=q.weight * factor) for q in self.questions), self.relations)

    @property
    def lengths(self) -> list[int]:
        """The lengths of the questions, each once, rising."""
        return sorted({question.length for question in self.questions})

    @property
    def weight(self) -> float:
        """The number of examples."""
        return sum(question.weight for question in self.questions)

    @cached_property
    def batches(self) -> tuple[Batch, ...]:
        """The questions in batches of bounded size; how they are cut depends on nothing but the questions."""
        return tuple(map(make_batch, self.pieces()))

    @cached_property
    def held(self) -> Held[Batch]:
        """The batches, where they are: in this process, unless `on` has given them to others."""
        return Local().hold(_itself, self.batches)

    def on(self, cluster: Cluster, budget: Budget | None = None) -> Corpus:
        """The same questions, their batches held by the workers of a cluster, who make them."""
        there = Corpus(self.questions, self.relations)
        there.__dict__["held"] = cluster.hold(make_batch, self.pieces(), budget)
        return there

    def mark(self) -> bytes:
        """What tells these questions from others."""
        mark = hashlib.sha256()
        for question in self.questions:
            mark.update(repr((question.paths, question.label, question.weight)).encode())
        return mark.digest()

    def pieces(self, frequency: FloatArray | None = None) -> list[Piece]:
        """What each batch is made of; the frequency of each relation is that on these paths unless it is given."""
        frequency = _log_frequencies(self.questions, self.relations) if frequency is None else frequency
        width = min(self.relations, _WIDEST_CELL)
        entries = [sum(len(p) * (len(p) + 1) // 2 for p in q.paths) * width for q in self.questions]
        cuts, start, filled = [], 0, 0
        for place, size in enumerate(entries):
            if place > start and filled + size > _CELL_ENTRIES:
                cuts.append((start, place))
                start, filled = place, 0
            filled += size
        if start < len(entries):
            cuts.append((start, len(entries)))
        return [Piece(self.questions[first:last], self.relations, frequency) for first, last in cuts]


def _itself(batch: Batch) -> Batch:
    return batch


def make_batch(piece: Piece) -> Batch:
    """A batch of these questions."""
    questions, relations, frequency = piece
    paths = [path for question in questions for path in question.paths]
    several = [len(question.paths) > 1 for question in questions for _ in question.paths]
    background = [
        float(frequency[list(path)].sum()) if many else 0.0 for path, many in zip(paths, several, strict=True)
    ]
    return Batch(
        spans=Spans.of(Ragged.of(paths), relations),
        question_of=frozen(np.repeat(np.arange(len(questions)), [len(q.paths) for q in questions])),
        labels=frozen([question.label for question in questions]),
        weights=np.array([question.weight for question in questions]),
        background=np.array(background),
    )


def _log_frequencies(questions: Sequence[Question], relations: int) -> FloatArray:
    """How common each relation is on the paths; the last entry is for relations never seen."""
    paths = [(path, question.weight / len(question.paths)) for question in questions for path in question.paths]
    words = np.array([word for path, _ in paths for word in path], dtype=np.int64)
    weights = np.repeat([weight for _, weight in paths], [len(path) for path, _ in paths])
    counts = np.bincount(words, weights, minlength=relations + 1) + 1.0
    frequencies: FloatArray = log(counts / counts.sum())
    return frequencies
