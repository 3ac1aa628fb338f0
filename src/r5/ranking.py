"""Filtered ranking: the rank of the true entity among all candidates, without the other known answers."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from r5._util.frames import make_frame
from r5._util.html import html_table
from r5._util.runtime.progress import ProgressCallback
from r5._util.svg import element
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph
from r5.parallel.cluster import Cluster

__all__ = ["TIES", "RankCounts", "Ranking", "rank"]

TIES = ("realistic", "optimistic", "pessimistic")
_HITS = (1, 3, 10)
_DIRECTIONS = ("tail", "head")
_SHOWN_RELATIONS = 20
"""Maximum number of relations in the table for notebooks."""


@dataclass(frozen=True, slots=True, eq=False)
class RankCounts:
    """Candidates that rank above the answer of each query or tie with it.

    Arrays are [facts, 2 directions]: column 0 is the tail query (h, r, ?), column 1 the head query (?, r, t).
    """

    better: NDArray[np.int64]
    """Number of candidates with a higher score."""
    equal: NDArray[np.int64]
    """Number of other candidates with the same score."""


class Completer(Protocol):
    """Interface of a model that ranks candidates."""

    def rank_answers(
        self, examples: Examples, known: Iterable[Examples | Graph], progress: ProgressCallback | None = None
    ) -> RankCounts:
        """Rank the answers, filtered by the facts of the graph, of `known` and of `examples`.

        A model may take the cluster (`cluster`) and the graph that queries are answered on (`graph`) too.
        """
        ...


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ranking metrics of a model on a split; each fact is a tail query and a head query."""

    mrr: float
    """Mean reciprocal rank."""
    hits: dict[int, float]
    """Hits@k by k: share of queries whose answer has rank k or better."""
    n: int
    """Number of queries, two per fact."""
    ties: str
    """Rank among ties: `realistic` (middle), `optimistic` (first) or `pessimistic` (last)."""
    both_sides: bool
    """Always true: tail and head queries count."""
    by_relation: dict[str, dict[str, Any]]
    """`mrr`, `hits` and `n` of each relation."""
    by_direction: dict[str, dict[str, Any]]
    """`mrr`, `hits` and `n` of the `tail` queries (h, r, ?) and of the `head` queries (?, r, t)."""
    seconds: float
    """Wall-clock time of the ranking."""
    facts: Examples = field(repr=False, compare=False)
    """The ranked facts."""
    ranks: NDArray[np.float64] = field(repr=False, compare=False)
    """Rank of the answer of each query, [facts, 2 directions]; column 0 is (h, r, ?), column 1 (?, r, t)."""

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame with one row per query, two per fact.

        Args:
            library: `pandas` or `polars`.

        Returns:
            A frame with the columns head, relation and tail (the fact), direction (`tail` for (h, r, ?), `head`
            for (?, r, t)) and rank (a multiple of 0.5 among ties).
        """
        facts = self.facts.to_frame(library)
        columns = {"head": facts["source"], "relation": facts["answer"], "tail": facts["target"]}
        rows = {name: [value for value in values for _ in _DIRECTIONS] for name, values in columns.items()}
        return make_frame(
            {**rows, "direction": [*_DIRECTIONS] * len(self.facts), "rank": self.ranks.ravel().tolist()}, library
        )

    def _repr_html_(self) -> str:
        """Return the metrics as a table for notebooks: all queries, each direction, the most frequent relations."""
        hits = list(self.hits)
        frequent = sorted(self.by_relation.items(), key=lambda item: -item[1]["n"])
        directions = ((f"{name} queries", part) for name, part in self.by_direction.items())
        parts = [("all", self.to_json()), *directions, *frequent[:_SHOWN_RELATIONS]]
        rows = [
            [name, f"{part['n']:,}", f"{part['mrr']:.3f}", *(f"{part['hits'][str(k)]:.3f}" for k in hits)]
            for name, part in parts
        ]
        more = len(frequent) - _SHOWN_RELATIONS
        note = f"\n{element('p', text=f'and {more:,} more relations')}" if more > 0 else ""
        return html_table(["", "queries", "MRR", *(f"Hits@{k}" for k in hits)], rows) + note

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of `r5 rank --json`."""
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
    known: Examples | Graph | Iterable[Examples | Graph] = (),
    ties: str = "realistic",
    progress: ProgressCallback | None = None,
    cluster: Cluster | None = None,
    graph: Graph | None = None,
) -> Ranking:
    """Rank the head and the tail of every fact among all entities (filtered setting).

    Args:
        model: A model that completes a graph, such as a `ChainReasoner`.
        examples: The facts to rank; examples without an answer are skipped.
        known: Further true facts (training, other splits), which are removed from the candidates.
        ties: Rank among ties: `realistic` (middle), `optimistic` (first) or `pessimistic` (last).
        progress: Called with the number of ranked queries.
        cluster: Workers that share the queries; the ranks are the same without them.
        graph: Graph that queries are answered on, such as `data.graph` of data about entities that the model has not
            seen; the model's training graph by default. Its entities are the candidates, and its facts are filtered.

    Returns:
        Ranking metrics and the rank of every query.

    Raises:
        R5Error: `ties` is unknown, the model does not complete graphs, or it knows no relation of the facts, or none
            of their entities is in the graph.
    """
    if ties not in TIES:
        raise R5Error(f"ties must be one of {', '.join(TIES)}, not {ties!r}")
    if not hasattr(model, "rank_answers"):
        raise R5Error(f"expected a model that completes a graph, such as a ChainReasoner, not a {type(model).__name__}")
    known = [known] if isinstance(known, Examples | Graph) else known
    examples = Examples.read(examples)
    examples = examples.select(np.flatnonzero(examples.answers >= 0))
    start = time.perf_counter()
    more: dict[str, Any] = {} if cluster is None else {"cluster": cluster}
    more |= {} if graph is None else {"graph": graph}
    counts = model.rank_answers(examples, known, progress, **more)
    seconds = time.perf_counter() - start
    share = {"realistic": 0.5, "optimistic": 0.0, "pessimistic": 1.0}[ties]
    ranks = 1 + counts.better + share * counts.equal
    names = examples.vocabulary.names(range(len(examples.vocabulary)))
    overall = _metrics(ranks)
    return Ranking(
        mrr=overall["mrr"],
        hits={k: overall["hits"][str(k)] for k in _HITS},
        n=overall["n"],
        ties=ties,
        both_sides=True,
        by_relation={names[r]: _metrics(ranks[examples.answers == r]) for r in np.unique(examples.answers)},
        by_direction={name: _metrics(ranks[:, side]) for side, name in enumerate(_DIRECTIONS)},
        seconds=seconds,
        facts=examples,
        ranks=ranks,
    )


def _metrics(ranks: NDArray[np.float64]) -> dict[str, Any]:
    """Return the mean reciprocal rank and hits@k; 0 without queries."""
    if not ranks.size:
        return {"mrr": 0.0, "hits": {str(k): 0.0 for k in _HITS}, "n": 0}
    hits = {str(k): float((ranks <= k).mean()) for k in _HITS}
    return {"mrr": float((1 / ranks).mean()), "hits": hits, "n": int(ranks.size)}
