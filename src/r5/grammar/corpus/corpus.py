"""Corpus: training examples with the paths that may explain their answers, in batches that fit in memory."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5._util.runtime.budget import Budget
from r5.grammar.corpus.batches import Batch, BatchPlan, ExampleColumns, Paths, WeightedExample, make_batch
from r5.parallel.cluster import Cluster, Shards
from r5.parallel.local_cluster import LocalCluster

__all__ = ["Corpus", "Paths", "WeightedExample"]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Distinct training examples with weights.

    One path of an example is taken to be the reason for the answer; the others are there by chance, with the
    relation frequencies of all paths.

    >>> corpus = Corpus.of([((0, 1),), ((0, 1),)], labels=[2, 2], relations=3)
    >>> corpus.examples
    (WeightedExample(paths=((0, 1),), label=2, weight=2.0),)
    """

    columns: ExampleColumns
    relations: int

    @classmethod
    def of(cls, paths: Sequence[Paths], labels: Sequence[int], relations: int) -> Corpus:
        """Return the corpus of some examples; equal ones are merged, those without a path are left out."""
        counts = Counter((tuple(sorted(set(ways))), label) for ways, label in zip(paths, labels, strict=True) if ways)
        return cls.weighted(counts, relations)

    @classmethod
    def weighted(cls, weights: Mapping[tuple[Paths, int], float], relations: int) -> Corpus:
        """Return the corpus of examples given by paths and label, with their weights."""
        examples = [WeightedExample(*key, float(weight)) for key, weight in sorted(weights.items())]
        return cls(ExampleColumns.of(examples), relations)

    @cached_property
    def examples(self) -> tuple[WeightedExample, ...]:
        """The examples one by one."""
        return tuple(self.columns.rows())

    @property
    def distinct_examples(self) -> int:
        """Number of distinct examples."""
        return int(self.columns.labels.size)

    def take(self, places: NDArray[np.int64]) -> Corpus:
        """Return the examples at some positions, in that order."""
        return Corpus(self.columns.take(places), self.relations)

    def up_to(self, length: int) -> Corpus:
        """Return the examples with a path of at most this length."""
        return self.take(np.flatnonzero(self.columns.lengths <= length))

    def shortest_part(self, span_limit: int) -> Corpus:
        """Return the shortest examples within a number of distinct spans, with the weight of all."""
        places = self.columns.shortest(span_limit)
        return self if places.size == self.distinct_examples else self.take(places).scaled(self.weight)

    def scaled(self, weight: float) -> Corpus:
        """Return the same examples with another total weight."""
        return Corpus(replace(self.columns, weights=self.columns.weights * (weight / self.weight)), self.relations)

    @property
    def lengths(self) -> list[int]:
        """Sorted distinct lengths of the examples."""
        return np.unique(self.columns.lengths).tolist()  # type: ignore[no-any-return]

    @property
    def weight(self) -> float:
        """Number of examples."""
        return float(sum(self.columns.weights.tolist()))

    @cached_property
    def batches(self) -> Shards[Batch]:
        """The batches, held by this process unless `distribute` has placed them on a cluster."""
        return LocalCluster().build_shards(make_batch, self.plans())

    def distribute(self, cluster: Cluster, budget: Budget | None = None) -> Corpus:
        """Return the same examples with batches that the workers of a cluster make and hold."""
        distributed = Corpus(self.columns, self.relations)
        distributed.__dict__["batches"] = cluster.build_shards(make_batch, self.plans(), budget)
        return distributed

    def digest(self) -> bytes:
        """Return a digest of the examples."""
        found = hashlib.sha256()
        for example in self.examples:
            found.update(repr(tuple(example)).encode())
        return found.digest()

    def plans(self) -> list[BatchPlan]:
        """Return the plan of each batch, with the relation frequencies of these paths."""
        return self.columns.plans(self.relations, self.columns.frequencies(self.relations))
