"""How well missing facts are found: the place of the right entity among all, other known answers left out."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from r5._util.frames import make_frame
from r5._util.runtime.progress import ProgressCallback
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph
from r5.parallel.cluster import Cluster

__all__ = ["TIES", "Places", "Ranking", "rank"]

TIES = ("realistic", "optimistic", "pessimistic")
_HITS = (1, 3, 10)
_DIRECTIONS = ("tail", "head")


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """How many candidates come before each right answer, and how many tie with it: [questions, 2 directions]."""

    better: NDArray[np.int64]
    """Column 0 asks (h, r, ?), column 1 (?, r, t)."""
    equal: NDArray[np.int64]


class Completer(Protocol):
    """What ranking asks of a model."""

    def places(
        self, examples: Examples, known: Iterable[Examples | Graph], progress: ProgressCallback | None = None
    ) -> Places:
        """Where the right answers stand, filtered by all facts of the model's graph, of `known` and of `examples`."""
        ...


@dataclass(frozen=True, slots=True)
class Ranking:
    """The figures of one model on one split; each fact is asked in both directions."""

    mrr: float
    hits: dict[int, float]
    n: int
    """Questions: two a fact."""
    ties: str
    both_sides: bool
    by_relation: dict[str, dict[str, Any]]
    """For each relation its own `mrr`, `hits` and `n`."""
    by_direction: dict[str, dict[str, Any]]
    """The same for `tail`, the questions (h, r, ?), and `head`, the questions (?, r, t)."""
    seconds: float
    facts: Examples = field(repr=False, compare=False)
    """The facts that were asked for, each with its answer."""
    ranks: NDArray[np.float64] = field(repr=False, compare=False)  # [facts, 2 directions]
    """The rank of the right answer of each query; column 0 asks (h, r, ?), column 1 (?, r, t)."""

    def to_frame(self, library: str = "pandas") -> Any:
        """A frame of the ranks, a row for each query: two rows for each fact.

        Args:
            library: `pandas` or `polars`.

        Returns:
            A frame with the columns head, relation and tail (the fact), direction (`tail` for (h, r, ?), `head`
            for (?, r, t)) and rank (with halves where candidates tie).
        """
        asked = self.facts.to_frame(library)
        columns = {"head": asked["source"], "relation": asked["answer"], "tail": asked["target"]}
        rows = {name: [value for value in values for _ in _DIRECTIONS] for name, values in columns.items()}
        return make_frame(
            {**rows, "direction": [*_DIRECTIONS] * len(self.facts), "rank": self.ranks.ravel().tolist()}, library
        )

    def to_json(self) -> dict[str, Any]:
        """What `r5 rank --json` prints."""
        return {
            "mrr": self.mrr,
            "hits": {str(k): share for k, share in self.hits.items()},
            "n": self.n,
            "ties": self.ties,
            "both_sides": self.both_sides,
            "by_relation": self.by_relation,
            "by_direction": self.by_direction,
            "seconds": self.seconds,
        }


def rank(
    model: Completer,
    examples: Examples,
    known: Iterable[Examples | Graph] = (),
    ties: str = "realistic",
    progress: ProgressCallback | None = None,
    cluster: Cluster | None = None,
) -> Ranking:
    """Ask for both ends of every fact; each entity is a candidate, and no question is skipped.

    `known` are further facts that are true (those of training, of the other splits): they do not count as
    mistakes when they come first. Among ties the place is the middle (realistic), the first or the last.
    `progress` is told how many questions are answered. The workers of a `cluster` find the same places.
    """
    if ties not in TIES:
        raise R5Error(f"ties must be one of {', '.join(TIES)}, not {ties!r}")
    if not hasattr(model, "places"):
        raise R5Error(f"expected a model that completes a graph, such as a ChainReasoner, not a {type(model).__name__}")
    examples = Examples.read(examples)
    examples = examples.select(np.flatnonzero(examples.answers >= 0))
    start = time.perf_counter()
    more: dict[str, Any] = {} if cluster is None else {"cluster": cluster}
    places = model.places(examples, known, progress, **more)
    seconds = time.perf_counter() - start
    share = {"realistic": 0.5, "optimistic": 0.0, "pessimistic": 1.0}[ties]
    ranks = 1 + places.better + share * places.equal
    names = examples.vocabulary.names(range(len(examples.vocabulary)))
    every = _figures(ranks)
    return Ranking(
        mrr=every["mrr"],
        hits={k: every["hits"][str(k)] for k in _HITS},
        n=every["n"],
        ties=ties,
        both_sides=True,
        by_relation={names[r]: _figures(ranks[examples.answers == r]) for r in np.unique(examples.answers)},
        by_direction={name: _figures(ranks[:, side]) for side, name in enumerate(_DIRECTIONS)},
        seconds=seconds,
        facts=examples,
        ranks=ranks,
    )


def _figures(ranks: NDArray[np.float64]) -> dict[str, Any]:
    """Mean reciprocal rank and hits; of no questions, 0."""
    if not ranks.size:
        return {"mrr": 0.0, "hits": {str(k): 0.0 for k in _HITS}, "n": 0}
    hits = {str(k): float((ranks <= k).mean()) for k in _HITS}
    return {"mrr": float((1 / ranks).mean()), "hits": hits, "n": int(ranks.size)}
