"""Ranks of correct answers, on the threads of this process or by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.step_graph import IdArray, distinct
from r5.chains.inference.queries import Piece, split_queries
from r5.chains.inference.query_scorer import QueryScorer
from r5.parallel.cluster import Cluster, Shared
from r5.parallel.local_cluster import LocalCluster
from r5.parallel.pickling import pack, unpack

__all__ = ["RankedQueries", "rank_facts", "rank_held_out"]

_REMOTE_BATCH, _LOCAL_BATCH = 2048, 128
"""Queries that a worker of a cluster and a thread are given at a time."""
_MAX_HELD_OUT, _MAX_CANDIDATES = 300, 10_000_000
"""Maximum number of held-out facts, and of candidates of all their queries; at least one fact is ranked."""


class RankedQueries(NamedTuple):
    """Number of candidates that score higher than, and the same as, the correct answers of some facts."""

    rows: IdArray
    side: int
    """0 for tail queries, 1 for head queries."""
    better: IdArray
    equal: IdArray


@dataclass
class _Ranker:
    """Ranks the answers that facts give to queries."""

    query_scorer: QueryScorer
    facts: IdArray
    known: KnownAnswers

    def __call__(self, piece: Piece) -> RankedQueries:
        sources, answers = (self.facts[piece.rows, side] for side in ((2, 0) if piece.backwards else (0, 2)))
        found = self.query_scorer.rank_answers(piece.relation, piece.backwards, sources, answers, self.known)
        return RankedQueries(piece.rows, int(piece.backwards), *found)


@dataclass
class _RemoteRanker:
    """Ranks answers in another process."""

    shared: Shared[bytes]
    _ranker: _Ranker | None = None

    def __call__(self, piece: Piece) -> RankedQueries:
        if self._ranker is None:
            self._ranker = unpack(self.shared.value)
        return self._ranker(piece)


def rank_facts(
    query_scorer: QueryScorer,
    facts: IdArray,
    known: KnownAnswers,
    tick: Callable[[str, int], None],
    cluster: Cluster | None = None,
    threads: int = 1,
) -> Iterator[RankedQueries]:
    """Yield the ranks of the tails and heads of facts.

    Args:
        query_scorer: The model on a graph.
        facts: Head, relation, tail, [facts, 3].
        known: Known answers, which are no candidates.
        tick: Called with the name of a relation and the number of queries answered.
        cluster: Workers that share the queries.
        threads: Number of threads without a cluster; the ranks do not depend on it.
    """
    ranker, is_remote = _Ranker(query_scorer, facts, known), cluster is not None and not cluster.is_local
    pieces: list[Piece] = []
    for backwards in (False, True):
        # Queries of one source side by side share their scores.
        order = np.argsort(facts[:, 2 if backwards else 0], kind="stable")
        size = _REMOTE_BATCH if is_remote else _LOCAL_BATCH
        parts = split_queries(facts[order, 1], np.full(len(facts), backwards), size)
        pieces += [piece._replace(rows=order[piece.rows]) for piece in parts]
    pieces.sort(key=lambda piece: (piece.relation, piece.backwards))
    with LocalCluster(threads) as pool:
        if cluster is not None and is_remote:
            found = cluster.stream(_RemoteRanker(cluster.share(pack(ranker))), pieces)
        else:
            found = pool.stream(ranker, pieces)
        for piece, ranked in zip(pieces, found, strict=True):
            tick(query_scorer.graph.relations[piece.relation], piece.rows.size)
            yield ranked


def rank_held_out(
    query_scorer: QueryScorer, held: IdArray, rng: np.random.Generator, threads: int = 1
) -> dict[str, float]:
    """Return `mrr`, `hits@10` and the number of `facts` over both queries of held-out facts; empty without facts.

    Ranks are filtered: other known and held-out answers are no candidates. Ties count half.
    """
    limit = min(_MAX_HELD_OUT, max(_MAX_CANDIDATES // max(2 * query_scorer.graph.number_of_nodes, 1), 1))
    facts = rng.permutation(held)[:limit]
    if not len(facts):
        return {}
    known = KnownAnswers(distinct(np.concatenate([query_scorer.graph.facts, held])), len(query_scorer.graph.relations))
    ranked = list(rank_facts(query_scorer, facts, known, lambda *_: None, None, threads))
    ranks = np.concatenate([1 + part.better + part.equal / 2 for part in ranked])
    return {"mrr": float((1 / ranks).mean()), "hits@10": float((ranks <= 10).mean()), "facts": len(facts)}
