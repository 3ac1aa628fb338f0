"""Corpus: training examples with the paths that may explain their answers, in batches that fit in memory."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np

from r5._util.runtime.budget import Budget
from r5.grammar.corpus.batches import Batch, BatchPlan, ExampleColumns, Paths, WeightedExample, make_batch
from r5.parallel.cluster import Cluster, Shards
from r5.parallel.local_cluster import LocalCluster

__all__ = ["Corpus", "Paths", "WeightedExample"]


@dataclass(frozen=True)
class Corpus:
    """Distinct training examples with weights.

    One path of an example is taken to be the reason for the answer; the others are there by chance, with the
    relation frequencies of all paths.

    >>> corpus = Corpus.of([((0, 1),), ((0, 1),)], labels=[2, 2], relations=3)
    >>> corpus.examples
    (WeightedExample(paths=((0, 1),), label=2, weight=2.0),)
    """

    examples: tuple[WeightedExample, ...]
    relations: int

    @classmethod
    def of(cls, paths: Sequence[Paths], labels: Sequence[int], relations: int) -> Corpus:
        """Return the corpus of some examples; equal ones are merged, those without a path are left out."""
        counts = Counter((tuple(sorted(set(ways))), label) for ways, label in zip(paths, labels, strict=True) if ways)
        return cls.weighted(counts, relations)

    @classmethod
    def weighted(cls, weights: Mapping[tuple[Paths, int], float], relations: int) -> Corpus:
        """Return the corpus of examples given by paths and label, with their weights."""
        return cls(tuple(WeightedExample(*key, float(weight)) for key, weight in sorted(weights.items())), relations)

    def up_to(self, length: int) -> Corpus:
        """Return the examples with a path of at most this length."""
        return Corpus(tuple(compress(self.examples, (self.columns.lengths <= length).tolist())), self.relations)

    def shortest_part(self, span_limit: int) -> Corpus:
        """Return the shortest examples within a number of distinct spans, with the weight of all."""
        some = self.shortest(span_limit)
        return self if len(some) == len(self.examples) else Corpus(some, self.relations).scaled(self.weight)

    def shortest(self, span_limit: int) -> tuple[WeightedExample, ...]:
        """Return the shortest examples within a number of distinct spans, in order."""
        return tuple(self.examples[place] for place in self.columns.shortest(span_limit).tolist())

    def scaled(self, weight: float) -> Corpus:
        """Return the same examples with another total weight."""
        factor = weight / self.weight
        return Corpus(tuple(one._replace(weight=one.weight * factor) for one in self.examples), self.relations)

    @property
    def lengths(self) -> list[int]:
        """Sorted distinct lengths of the examples."""
        return np.unique(self.columns.lengths).tolist()  # type: ignore[no-any-return]

    @property
    def weight(self) -> float:
        """Number of examples."""
        return float(sum(self.columns.weights.tolist()))

    @cached_property
    def columns(self) -> ExampleColumns:
        """The examples as columns."""
        return ExampleColumns.of(self.examples)

    @cached_property
    def batches(self) -> Shards[Batch]:
        """The batches, held by this process unless `distribute` has placed them on a cluster."""
        return LocalCluster().build_shards(make_batch, self.plans())

    def distribute(self, cluster: Cluster, budget: Budget | None = None) -> Corpus:
        """Return the same examples with batches that the workers of a cluster make and hold."""
        distributed = Corpus(self.examples, self.relations)
        distributed.__dict__["columns"] = self.columns
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
