"""ShardedCorpus: questions in files, each read by whoever holds it; this process knows no more than figures.

Equal questions are counted once within a file. What is learned depends on how the questions are cut into files, by
rounding alone, and not at all on who reads which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from r5._util.budget import Budget
from r5._util.elementary_kernels import log
from r5.data.path_shards import PathQuestion, PathShards, digest_of, read_questions
from r5.errors import R5Error
from r5.grammar.batches import Batch, make_batch
from r5.grammar.corpus import Corpus, Paths
from r5.grammar.model import FloatArray
from r5.parallel.cluster import Cluster, Held
from r5.parallel.local import Local
from r5.parallel.summing import Sums

__all__ = ["ShardedCorpus", "sample", "survey"]


class _Figures(NamedTuple):
    """What is known of a file without keeping it."""

    words: dict[str, float]
    """How often each relation occurs on the paths."""
    answers: frozenset[str]
    lengths: frozenset[int]
    questions: int
    weight: float
    digest: str


def survey(shards: PathShards, cluster: Cluster, budget: Budget | None = None) -> ShardedCorpus:
    """Read all files once, side by side: which relations there are, and how often."""
    figures = cluster.map(_figures, shards.files, budget)
    words: Counter[str] = Counter()
    for one in figures:
        words.update(one.words)
    names = tuple(sorted({*words, *(name for one in figures for name in one.answers)}))
    if not names:
        raise R5Error("the files have no questions: there is nothing to learn from")
    counts = np.array([*(words.get(name, 0.0) for name in names), 0.0]) + 1.0
    return ShardedCorpus(
        (), len(names), shards.files, names, tuple(figures), log(counts / counts.sum()), cluster
    )  # fmt: skip


def sample(shards: PathShards, most: int, seed: int, cluster: Cluster) -> list[PathQuestion]:
    """About so many questions by chance, the same ones whoever reads; each has the weight of one."""
    each = -(-most // len(shards))
    found = cluster.map(partial(_some, each, seed), list(enumerate(shards.files)))
    return [question for part in found for question in part]


@dataclass(frozen=True)
class ShardedCorpus(Corpus):
    """A corpus whose questions are in files."""

    files: tuple[Path, ...]
    names: tuple[str, ...]
    figures: tuple[_Figures, ...]
    frequency: FloatArray
    cluster: Cluster
    longest: int | None = None
    """The length up to which questions take part; None for all."""

    def up_to(self, length: int) -> Corpus:
        """Only the questions with a path of at most this length."""
        return replace(self, longest=length)

    def thinned(self, stretches: int) -> Corpus:
        """As for any corpus: the shortest questions for all of them; here, in this process."""
        parts = self.cluster.map(partial(_shortest, self.names, stretches), self.files)
        weights: Counter[tuple[Paths, int]] = Counter()
        for part in parts:
            weights.update(part)
        merged = Corpus.weighted(weights, self.relations)
        few = merged.shortest(stretches)
        if len(few) == len(merged.questions) and sum(map(len, parts)) == sum(one.questions for one in self.figures):
            return self
        return Corpus(few, self.relations).scaled(self.weight)

    @property
    def lengths(self) -> list[int]:
        """The lengths of the questions, each once, rising."""
        every = sorted({length for one in self.figures for length in one.lengths})
        return [length for length in every if self.longest is None or length <= self.longest]

    @property
    def weight(self) -> float:
        """The number of examples."""
        return sum(one.weight for one in self.figures)

    def mark(self) -> bytes:
        """What tells these questions from others."""
        return repr((self.names, [one.digest for one in self.figures])).encode()

    @cached_property
    def held(self) -> Held[Batch]:
        """The batches, in this process unless `on` has given them to others."""
        return _Several(Local().hold(self._maker(), self.files))

    def on(self, cluster: Cluster, budget: Budget | None = None) -> Corpus:
        """The same with its files read and held by the workers of a cluster."""
        there = replace(self)
        there.__dict__["held"] = _Several(cluster.hold(self._maker(), self.files, budget))
        return there

    def _maker(self) -> Callable[[Path], tuple[Batch, ...]]:
        return partial(_batches, self.names, self.frequency, self.longest)


def _corpus(names: tuple[str, ...], path: Path) -> Corpus:
    """The questions of a file, equal ones counted once."""
    place = {name: number for number, name in enumerate(names)}
    weights: Counter[tuple[Paths, int]] = Counter()
    for one in read_questions(path):
        ways = tuple(sorted(tuple(place[name] for name in way) for way in one.paths))
        weights[ways, place[one.answer]] += one.weight  # type: ignore[assignment]
    return Corpus.weighted(weights, len(names))


def _batches(names: tuple[str, ...], frequency: FloatArray, longest: int | None, path: Path) -> tuple[Batch, ...]:
    corpus = _corpus(names, path)
    part = corpus if longest is None else corpus.up_to(longest)
    return tuple(map(make_batch, part.pieces(frequency)))


def _figures(path: Path) -> _Figures:
    words: Counter[str] = Counter()
    answers, lengths, seen, weight = set(), set(), set(), 0.0
    for one in read_questions(path):
        for way in one.paths:
            for name in way:
                words[name] += one.weight / len(one.paths)  # type: ignore[assignment]
        answers.add(one.answer)
        lengths.add(min(map(len, one.paths)))
        seen.add((one.paths, one.answer))
        weight += one.weight
    return _Figures(dict(words), frozenset(answers), frozenset(lengths), len(seen), weight, digest_of(path))


def _shortest(names: tuple[str, ...], stretches: int, path: Path) -> dict[tuple[Paths, int], float]:
    return {(one.paths, one.label): one.weight for one in _corpus(names, path).shortest(stretches)}


def _some(most: int, seed: int, numbered: tuple[int, Path]) -> list[PathQuestion]:
    """Questions by chance, seeded by the number of the file: each later one may take the place of an earlier one."""
    number, path = numbered
    rng = np.random.default_rng([seed, number])
    kept: list[PathQuestion] = []
    for place, one in enumerate(read_questions(path)):
        if place < most:
            kept.append(one)
        elif (taken := int(rng.integers(place + 1))) < most:
            kept[taken] = one
    return kept


@dataclass(frozen=True, slots=True)
class _Maybe:
    """A sum, or None of nothing."""

    value: Any

    def __add__(self, other: _Maybe) -> _Maybe:
        if self.value is None or other.value is None:
            return other if self.value is None else self
        return _Maybe(self.value + other.value)


class _Several(Held[Batch]):
    """Several batches in each shard."""

    def __init__(self, held: Held[tuple[Batch, ...]]) -> None:
        self._held = held

    def __len__(self) -> int:
        return len(self._held)

    def map(self, function: Any, argument: Any, budget: Budget | None = None) -> list[Any]:
        return [one for part in self._held.map(partial(_each, function), argument, budget) for one in part]

    def total(self, function: Any, argument: Any, budget: Budget | None = None) -> Any:
        return self._held.total(partial(_sum, function), argument, budget).value

    def release(self) -> None:
        self._held.release()


def _each(
    function: Callable[[Batch, Any, Budget | None], Any], batches: Sequence[Batch], argument: Any, budget: Budget | None
) -> list[Any]:
    return [function(batch, argument, budget) for batch in batches]


def _sum(
    function: Callable[[Batch, Any, Budget | None], Any], batches: Sequence[Batch], argument: Any, budget: Budget | None
) -> _Maybe:
    sums = Sums[_Maybe](len(batches))
    for place, batch in enumerate(batches):
        sums.add((0, place), _Maybe(function(batch, argument, budget)))
    return sums.whole if batches else _Maybe(None)
