"""Deciding: what all paths of a question together leave possible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import as_int_array
from r5.examples import Examples
from r5.grammar.model import FloatArray
from r5.grammar.possibilities.spread_kernels import merge_path, spread
from r5.grammar.possibilities.table import LEAST, PossibilityTable
from r5.paths.search import PathSet

__all__ = ["CONTRADICTION", "Decided", "decide", "decide_paths"]

CONTRADICTION = 0.02
"""Where what paths leave possible has less than this in common, they contradict each other."""


@dataclass(frozen=True, eq=False)
class Decided:
    """How possible each relation is as the answer to each question."""

    possible: FloatArray  # [questions, relations]; the most possible has 1, all have 1 where nothing is known
    lengths: NDArray[np.int32]  # [questions], of the paths; -1 where there is none
    agree: FloatArray  # [questions], from 1 down to nearly 0 where paths contradict each other

    def shares(self) -> FloatArray:
        """How likely each relation is, taking all to be as likely before; a row of zeros where there is no path."""
        told = (self.lengths >= 0)[:, None]
        shares: FloatArray = self.possible * told / self.possible.sum(axis=1, keepdims=True)
        return shares


def decide(
    examples: Examples, names: tuple[str, ...], table: PossibilityTable, free: NDArray[np.bool_] | None = None
) -> Decided:
    """Spread possibilities over the shortest paths of each question; an edge that is `free` may be anything."""
    pool = examples.pool
    place = {name: number for number, name in enumerate(names)}
    words = np.array([place.get(name, len(names)) for name in examples.vocabulary] or [0], dtype=np.int32)
    edges = (pool.sources, as_int_array(words[pool.relations]), pool.targets, pool.facts)
    leaving, coming = pool.outgoing, pool.incoming
    possible, lengths, agree = spread(
        (leaving.offsets, leaving.edges),
        (coming.offsets, coming.edges),
        edges,
        (examples.sources, examples.targets, examples.masked_facts),
        np.zeros(pool.number_of_edges, dtype=np.bool_) if free is None else free,
        table.possible,
        LEAST,
    )
    return Decided(possible, lengths, agree)


def decide_paths(found: PathSet, names: tuple[str, ...], table: PossibilityTable) -> Decided:
    """The same where the order of merging matters: a chart for each path, and the paths multiplied."""
    words = found.in_words_of(names)
    count = len(found)
    possible, agree = np.ones((count, len(names))), np.ones(count)
    lengths = np.full(count, -1, dtype=np.int32)
    for question in range(count):
        rows = found.rows(question)
        for row in rows:
            possible[question] *= np.maximum(merge_path(words[row], table.possible, LEAST), LEAST)
        agree[question] = possible[question].max()
        possible[question] = np.maximum(possible[question] / agree[question], LEAST)
        lengths[question] = min((len(words[row]) for row in rows), default=-1)
    return Decided(possible, lengths, agree)
