"""Shard: the examples of one file, in the memory of its reader, and their batches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.runtime.budget import Budget
from r5.data.path_shards import PathExample, file_digest, read_path_examples
from r5.grammar.corpus.batches import Batch, BatchPlan, ExampleColumns, make_batch
from r5.parallel.pairwise_sum import PairwiseSum

__all__ = ["Figures", "Shard", "Stage", "Sum", "each_batch", "read_shard", "sum_of_batches"]


class Figures(NamedTuple):
    """Summary of a file."""

    words: dict[str, float]
    """Number of occurrences of each relation on the paths; 0 for one that is only an answer."""
    lengths: frozenset[int]
    examples: int
    weight: float
    digest: str


class Stage(NamedTuple):
    """Parameters of the batches of one training stage."""

    names: tuple[str, ...]
    """All relations, by id."""
    frequency: FloatArray
    longest: int | None
    """Maximum length of the examples; None for all."""


@dataclass(eq=False)
class Shard:
    """Distinct examples of a file."""

    number: int
    names: tuple[str, ...]
    """Sorted relations of the file."""
    examples: ExampleColumns
    """The examples, with positions in `names` as ids."""
    digest: str
    _batches: dict[int | None, tuple[Batch, ...]] = field(default_factory=dict)

    def figures(self) -> Figures:
        """Return the summary of the file."""
        examples = self.examples
        words = dict(zip(self.names, examples.occurrences(len(self.names)).tolist(), strict=True))
        lengths = frozenset(examples.lengths.tolist())
        return Figures(words, lengths, examples.labels.size, float(sum(examples.weights.tolist())), self.digest)

    def renamed(self, names: tuple[str, ...]) -> ExampleColumns:
        """Return the examples with positions in other names as ids."""
        place = {name: number for number, name in enumerate(names)}
        return self.examples.renamed(np.array([place[name] for name in self.names], dtype=np.int32))

    def batches(self, stage: Stage) -> tuple[Batch, ...]:
        """Return the batches of a stage, made once."""
        if stage.longest not in self._batches:
            examples = self.renamed(stage.names)
            if stage.longest is not None:
                examples = examples.take(np.flatnonzero(examples.lengths <= stage.longest))
            relations = len(stage.names)
            plans = [BatchPlan(examples.part(*cut), relations, stage.frequency) for cut in examples.cuts(relations)]
            self._batches[stage.longest] = tuple(map(make_batch, plans))
        return self._batches[stage.longest]

    def some(self, most: int, seed: int) -> list[PathExample]:
        """Return a weighted sample of examples, seeded by the number of the file."""
        weights = self.examples.weights
        rng = np.random.default_rng([seed, self.number])
        chosen = rng.choice(weights.size, min(most, weights.size), replace=False, p=weights / weights.sum())
        return [
            PathExample(tuple(tuple(self.names[word] for word in path) for path in paths), self.names[label])
            for paths, label, _ in self.examples.take(np.sort(chosen).astype(np.int64)).rows()
        ]


def read_shard(numbered: tuple[int, Path]) -> Shard:
    """Read a file; equal examples are merged."""
    number, path = numbered
    weights: defaultdict[tuple[tuple[tuple[str, ...], ...], str], float] = defaultdict(float)
    for one in read_path_examples(path):
        weights[one.paths, one.answer] += one.weight
    names = sorted({name for paths, answer in weights for way in (*paths, (answer,)) for name in way})
    place = {name: number for number, name in enumerate(names)}
    rows = (
        (tuple(tuple(place[name] for name in way) for way in paths), place[answer], weights[paths, answer])
        for paths, answer in sorted(weights)
    )
    return Shard(number, tuple(names), ExampleColumns.of(list(rows)), file_digest(path))


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum, or None for no summand: a file may have no example of a stage."""

    value: Any

    def __add__(self, other: Sum) -> Sum:
        if self.value is None or other.value is None:
            return other if self.value is None else self
        return Sum(self.value + other.value)


Function = Callable[[Batch, Any, Budget | None], Any]


def each_batch(stage: Stage, function: Function, shard: Shard, argument: Any, budget: Budget | None) -> list[Any]:
    """Return the result of a function for each batch of a shard."""
    return [function(batch, argument, budget) for batch in shard.batches(stage)]


def sum_of_batches(stage: Stage, function: Function, shard: Shard, argument: Any, budget: Budget | None) -> Sum:
    """Return the sum of the results of a function over the batches of a shard."""
    batches = shard.batches(stage)
    sums = PairwiseSum[Sum](len(batches))
    for place, batch in enumerate(batches):
        sums.add((0, place), Sum(function(batch, argument, budget)))
    return sums.total if batches else Sum(None)
