"""Corpus: questions with the paths that may explain their answers, in batches that fit in memory."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.budget import Budget
from r5.grammar.corpus.batches import Batch, BatchPlan, ExampleColumns, make_batch
from r5.parallel.cluster import Cluster, Held
from r5.parallel.local import Local

__all__ = ["Corpus", "Paths", "Question"]

Paths = tuple[tuple[int, ...], ...]


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
        return Corpus(tuple(compress(self.questions, (self.columns.lengths <= length).tolist())), self.relations)

    def shortest_part(self, stretches: int) -> Corpus:
        """The shortest questions, as far as they have no more distinct stretches of paths, for all of them."""
        some = self.shortest(stretches)
        return self if len(some) == len(self.questions) else Corpus(some, self.relations).scaled(self.weight)

    def shortest(self, stretches: int) -> tuple[Question, ...]:
        """The shortest questions, as far as they have no more distinct stretches of paths, in order."""
        return tuple(self.questions[place] for place in self.columns.shortest(stretches).tolist())

    def scaled(self, weight: float) -> Corpus:
        """The same questions with so much weight in all."""
        factor = weight / self.weight
        return Corpus(tuple(replace(q, weight=q.weight * factor) for q in self.questions), self.relations)

    @property
    def lengths(self) -> list[int]:
        """The lengths of the questions, each once, rising."""
        return np.unique(self.columns.lengths).tolist()  # type: ignore[no-any-return]

    @property
    def weight(self) -> float:
        """The number of examples."""
        return float(sum(self.columns.weights.tolist()))

    @cached_property
    def columns(self) -> ExampleColumns:
        """The questions as arrays."""
        return ExampleColumns.of([(one.paths, one.label, one.weight) for one in self.questions])

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
        there.__dict__["columns"] = self.columns
        there.__dict__["held"] = cluster.hold(make_batch, self.pieces(), budget)
        return there

    def mark(self) -> bytes:
        """What tells these questions from others."""
        mark = hashlib.sha256()
        for question in self.questions:
            mark.update(repr((question.paths, question.label, question.weight)).encode())
        return mark.digest()

    def pieces(self, frequency: FloatArray | None = None) -> list[BatchPlan]:
        """What each batch is made of; the frequency of each relation is that on these paths unless it is given."""
        columns, relations = self.columns, self.relations
        frequency = columns.frequencies(relations) if frequency is None else frequency
        return [BatchPlan(columns.part(*cut), relations, frequency) for cut in columns.cuts(relations)]


def _itself(batch: Batch) -> Batch:
    return batch
