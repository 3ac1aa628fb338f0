"""ShardedCorpus: examples in files, each read once by one worker; this process holds summaries only.

Equal examples are merged within a file. The result depends on the cut into files by rounding alone, and not on
the assignment of files to workers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.kernels.elementary_kernels import log
from r5._util.runtime.budget import Budget
from r5.data.path_shards import PathExample, PathShards, file_digest, read_path_examples
from r5.errors import R5Error
from r5.grammar.corpus.batches import Batch, ExampleColumns, WeightedExample, make_batch
from r5.grammar.corpus.corpus import Corpus, Paths
from r5.parallel.cluster import Cluster, Shards
from r5.parallel.pairwise_sum import PairwiseSum

__all__ = ["ShardedCorpus", "survey"]


class _Summary(NamedTuple):
    """Summary of a file."""

    words: dict[str, float]
    """Number of occurrences of each relation on the paths; 0 for one that is only an answer."""
    lengths: frozenset[int]
    examples: int
    weight: float
    digest: str


class _Stage(NamedTuple):
    """Parameters of the batches of one training stage."""

    names: tuple[str, ...]
    """All relations, by id."""
    frequency: FloatArray
    longest: int | None
    """Maximum length of the examples; None for all."""


@dataclass(eq=False)
class _Shard:
    """Distinct examples of a file, and their batches, in the memory of the reader."""

    number: int
    names: tuple[str, ...]
    """Sorted relations of the file."""
    examples: ExampleColumns
    """The examples, with positions in `names` as ids."""
    digest: str
    _batches: dict[int | None, tuple[Batch, ...]] = field(default_factory=dict)

    def renamed(self, names: tuple[str, ...]) -> ExampleColumns:
        """Return the examples with positions in other names as ids."""
        place = {name: number for number, name in enumerate(names)}
        return self.examples.renamed(np.array([place[name] for name in self.names], dtype=np.int32))

    def batches(self, stage: _Stage) -> tuple[Batch, ...]:
        """Return the batches of a stage, made once."""
        if stage.longest not in self._batches:
            examples = self.renamed(stage.names)
            if stage.longest is not None:
                examples = examples.take(np.flatnonzero(examples.lengths <= stage.longest))
            plans = examples.plans(len(stage.names), stage.frequency)
            self._batches[stage.longest] = tuple(map(make_batch, plans))
        return self._batches[stage.longest]


def survey(shards: PathShards, cluster: Cluster, budget: Budget | None = None) -> ShardedCorpus:
    """Let the workers of a cluster read all files, and return their corpus."""
    files = cluster.build_shards(_read, list(enumerate(shards.files)), budget)
    summaries = files.map(_summary, None, budget)
    words: Counter[str] = Counter()
    for one in summaries:
        words.update(one.words)
    names = tuple(sorted(words))
    if not names:
        raise R5Error("the files have no examples: there is nothing to learn from")
    counts = np.array([*(words[name] for name in names), 0.0]) + 1.0
    return ShardedCorpus(ExampleColumns.of([]), len(names), files, names, tuple(summaries), log(counts / counts.sum()))


@dataclass(frozen=True, eq=False)
class ShardedCorpus(Corpus):
    """A corpus whose examples are in files."""

    files: Shards[_Shard]
    names: tuple[str, ...]
    summaries: tuple[_Summary, ...]
    frequency: FloatArray
    longest: int | None = None
    """Maximum length of the examples; None for all."""

    def up_to(self, length: int) -> Corpus:
        """Return the examples with a path of at most this length."""
        return replace(self, longest=length)

    def shortest_part(self, span_limit: int) -> Corpus:
        """Return the shortest examples, in this process, with the weight of all."""
        parts = self.files.map(_shortest, (self.names, span_limit))
        weights: Counter[tuple[Paths, int]] = Counter()
        for part in parts:
            weights.update(part)
        merged = Corpus.weighted(weights, self.relations)
        places = merged.columns.shortest(span_limit)
        if places.size == merged.distinct_examples and sum(map(len, parts)) == self.distinct_examples:
            return self
        return merged.take(places).scaled(self.weight)

    def sample(self, most: int, seed: int) -> list[PathExample]:
        """Return a sample of about this size, each example with weight one; independent of the workers."""
        each = -(-most // len(self.files))
        return [one for part in self.files.map(_sample, (each, seed)) for one in part]

    @property
    def distinct_examples(self) -> int:
        """Number of distinct examples of the files."""
        return sum(one.examples for one in self.summaries)

    @property
    def lengths(self) -> list[int]:
        """Sorted distinct lengths of the examples."""
        every = sorted({length for one in self.summaries for length in one.lengths})
        return [length for length in every if self.longest is None or length <= self.longest]

    @property
    def weight(self) -> float:
        """Number of examples."""
        return sum(one.weight for one in self.summaries)

    def digest(self) -> bytes:
        """Return a digest of the examples."""
        return repr((self.names, [one.digest for one in self.summaries])).encode()

    @cached_property
    def batches(self) -> Shards[Batch]:
        """The batches, in the memory of the readers of the files."""
        return _BatchesOfFiles(self.files, _Stage(self.names, self.frequency, self.longest))

    def distribute(self, cluster: Cluster, budget: Budget | None = None) -> Corpus:
        """Return the corpus after its batches have been made."""
        self.batches.map(_nothing, None, budget)
        return self


class _BatchesOfFiles(Shards[Batch]):
    """Batches of one stage, several for each file; released with the files."""

    def __init__(self, files: Shards[_Shard], stage: _Stage) -> None:
        self._files = files
        self._stage = stage

    def __len__(self) -> int:
        return len(self._files)

    def map(self, function: Any, argument: Any, budget: Budget | None = None) -> list[Any]:
        parts = self._files.map(partial(_each_batch, self._stage, function), argument, budget)
        return [one for part in parts for one in part]

    def total(self, function: Any, argument: Any, budget: Budget | None = None) -> Any:
        return self._files.total(partial(_sum_of_batches, self._stage, function), argument, budget).value


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum, or None for no summand: a file may have no example of a stage."""

    value: Any

    def __add__(self, other: _Sum) -> _Sum:
        if self.value is None or other.value is None:
            return other if self.value is None else self
        return _Sum(self.value + other.value)


_Function = Callable[[Batch, Any, Budget | None], Any]


def _each_batch(stage: _Stage, function: _Function, shard: _Shard, argument: Any, budget: Budget | None) -> list[Any]:
    """Return the result of a function for each batch of a shard."""
    return [function(batch, argument, budget) for batch in shard.batches(stage)]


def _sum_of_batches(stage: _Stage, function: _Function, shard: _Shard, argument: Any, budget: Budget | None) -> _Sum:
    """Return the sum of the results of a function over the batches of a shard."""
    batches = shard.batches(stage)
    sums = PairwiseSum[_Sum](len(batches))
    for place, batch in enumerate(batches):
        sums.add((0, place), _Sum(function(batch, argument, budget)))
    return sums.total if batches else _Sum(None)


def _nothing(_: Batch, __: Any, ___: Budget | None) -> None:
    return


def _read(numbered: tuple[int, Path]) -> _Shard:
    """Read a file; equal examples are merged."""
    number, path = numbered
    weights: defaultdict[tuple[tuple[tuple[str, ...], ...], str], float] = defaultdict(float)
    for one in read_path_examples(path):
        weights[one.paths, one.answer] += one.weight
    names = sorted({name for paths, answer in weights for way in (*paths, (answer,)) for name in way})
    place = {name: number for number, name in enumerate(names)}
    examples = [
        WeightedExample(
            tuple(tuple(place[name] for name in way) for way in paths), place[answer], weights[paths, answer]
        )
        for paths, answer in sorted(weights)
    ]
    return _Shard(number, tuple(names), ExampleColumns.of(examples), file_digest(path))


def _summary(shard: _Shard, _: None, __: Budget | None) -> _Summary:
    """Return the summary of a file."""
    examples = shard.examples
    words = dict(zip(shard.names, examples.occurrences(len(shard.names)).tolist(), strict=True))
    lengths = frozenset(examples.lengths.tolist())
    return _Summary(words, lengths, examples.labels.size, float(sum(examples.weights.tolist())), shard.digest)


def _shortest(shard: _Shard, limits: tuple[tuple[str, ...], int], _: Budget | None) -> dict[tuple[Paths, int], float]:
    """Return the weights of the shortest examples of a file; `limits` are all relations and the number of spans."""
    names, span_limit = limits
    examples = shard.renamed(names)
    return {(paths, label): weight for paths, label, weight in examples.take(examples.shortest(span_limit)).rows()}


def _sample(shard: _Shard, drawn: tuple[int, int], _: Budget | None) -> list[PathExample]:
    """Return a weighted sample of examples, seeded by the number of the file; `drawn` are its size and the seed."""
    most, seed = drawn
    weights = shard.examples.weights
    rng = np.random.default_rng([seed, shard.number])
    chosen = rng.choice(weights.size, min(most, weights.size), replace=False, p=weights / weights.sum())
    return [
        PathExample(tuple(tuple(shard.names[word] for word in path) for path in paths), shard.names[label])
        for paths, label, _ in shard.examples.take(np.sort(chosen).astype(np.int64)).rows()
    ]
