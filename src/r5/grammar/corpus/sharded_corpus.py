"""ShardedCorpus: examples in files, each read once by one worker; this process holds summaries only.

Equal examples are merged within a file. The result depends on the cut into files by rounding alone, and not on
the assignment of files to workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.kernels.elementary_kernels import log
from r5._util.runtime.budget import Budget
from r5.data.path_shards import PathExample, PathShards
from r5.errors import R5Error
from r5.grammar.corpus.batches import Batch
from r5.grammar.corpus.corpus import Corpus, Paths
from r5.grammar.corpus.shard import Figures, Shard, Stage, each_batch, read_shard, sum_of_batches
from r5.parallel.cluster import Cluster, Shards

__all__ = ["ShardedCorpus", "survey"]


def survey(shards: PathShards, cluster: Cluster, budget: Budget | None = None) -> ShardedCorpus:
    """Let the workers of a cluster read all files, and return their corpus."""
    files = cluster.build_shards(read_shard, list(enumerate(shards.files)), budget)
    figures = _of_each(files, Shard.figures, budget)
    words: Counter[str] = Counter()
    for one in figures:
        words.update(one.words)
    names = tuple(sorted(words))
    if not names:
        raise R5Error("the files have no examples: there is nothing to learn from")
    counts = np.array([*(words[name] for name in names), 0.0]) + 1.0
    return ShardedCorpus((), len(names), files, names, tuple(figures), log(counts / counts.sum()))


@dataclass(frozen=True)
class ShardedCorpus(Corpus):
    """A corpus whose examples are in files."""

    files: Shards[Shard]
    names: tuple[str, ...]
    figures: tuple[Figures, ...]
    frequency: FloatArray
    longest: int | None = None
    """Maximum length of the examples; None for all."""

    def up_to(self, length: int) -> Corpus:
        """Return the examples with a path of at most this length."""
        return replace(self, longest=length)

    def shortest_part(self, span_limit: int) -> Corpus:
        """Return the shortest examples, in this process, with the weight of all."""
        parts = _of_each(self.files, partial(_shortest, self.names, span_limit))
        weights: Counter[tuple[Paths, int]] = Counter()
        for part in parts:
            weights.update(part)
        merged = Corpus.weighted(weights, self.relations)
        few = merged.shortest(span_limit)
        if len(few) == len(merged.examples) and sum(map(len, parts)) == sum(one.examples for one in self.figures):
            return self
        return Corpus(few, self.relations).scaled(self.weight)

    def sample(self, most: int, seed: int) -> list[PathExample]:
        """Return a sample of about this size, each example with weight one; independent of the workers."""
        each = -(-most // len(self.files))
        return [one for part in _of_each(self.files, partial(_some, each, seed)) for one in part]

    @property
    def lengths(self) -> list[int]:
        """Sorted distinct lengths of the examples."""
        every = sorted({length for one in self.figures for length in one.lengths})
        return [length for length in every if self.longest is None or length <= self.longest]

    @property
    def weight(self) -> float:
        """Number of examples."""
        return sum(one.weight for one in self.figures)

    def mark(self) -> bytes:
        """Return a digest of the examples."""
        return repr((self.names, [one.digest for one in self.figures])).encode()

    @cached_property
    def held(self) -> Shards[Batch]:
        """The batches, in the memory of the readers of the files."""
        return _OfFiles(self.files, Stage(self.names, self.frequency, self.longest))

    def on(self, cluster: Cluster, budget: Budget | None = None) -> Corpus:
        """Return the corpus after its batches have been made."""
        self.held.map(_nothing, None, budget)
        return self


def _of_each(files: Shards[Shard], function: Callable[[Shard], Any], budget: Budget | None = None) -> list[Any]:
    """Return the result of a function for each file."""
    return files.map(partial(_alone, function), None, budget)


def _alone(function: Callable[[Shard], Any], shard: Shard, _: None, __: Budget | None) -> Any:
    return function(shard)


def _shortest(names: tuple[str, ...], span_limit: int, shard: Shard) -> dict[tuple[Paths, int], float]:
    examples = shard.renamed(names)
    return {(paths, label): weight for paths, label, weight in examples.take(examples.shortest(span_limit)).rows()}


def _some(most: int, seed: int, shard: Shard) -> list[PathExample]:
    return shard.some(most, seed)


def _nothing(_: Batch, __: Any, ___: Budget | None) -> None:
    return


class _OfFiles(Shards[Batch]):
    """Batches of one stage, several for each file; released with the files."""

    def __init__(self, files: Shards[Shard], stage: Stage) -> None:
        self._files = files
        self._stage = stage

    def __len__(self) -> int:
        return len(self._files)

    def map(self, function: Any, argument: Any, budget: Budget | None = None) -> list[Any]:
        parts = self._files.map(partial(each_batch, self._stage, function), argument, budget)
        return [one for part in parts for one in part]

    def total(self, function: Any, argument: Any, budget: Budget | None = None) -> Any:
        return self._files.total(partial(sum_of_batches, self._stage, function), argument, budget).value
