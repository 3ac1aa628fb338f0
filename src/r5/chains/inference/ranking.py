"""Ranks of correct answers, on the threads of this process or by the workers of a cluster."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.step_graph import IdArray
from r5.chains.inference.query_scorer import QueryScorer
from r5.parallel.cluster import Cluster, Shared
from r5.parallel.local_cluster import LocalCluster
from r5.parallel.pickling import pack, unpack

__all__ = ["RankedQueries", "rank_facts"]

_REMOTE_BATCH, _LOCAL_BATCH = 2048, 128
"""Queries that a worker of a cluster and a thread are given at a time."""


class _Asked(NamedTuple):
    """Queries of one relation and direction."""

    relation: int
    backwards: bool
    rows: IdArray
    sources: IdArray
    answers: IdArray


class RankedQueries(NamedTuple):
    """Number of candidates that score higher than, and the same as, the correct answers of some facts."""

    rows: IdArray
    side: int
    """0 for tail queries, 1 for head queries."""
    better: IdArray
    equal: IdArray


@dataclass
class _Remote:
    """Ranks answers in another process."""

    shared: Shared[bytes]
    _here: tuple[QueryScorer, KnownAnswers] | None = None

    def __call__(self, asked: _Asked) -> tuple[IdArray, IdArray]:
        if self._here is None:
            graph, model, known = unpack(self.shared.value)
            self._here = QueryScorer(graph, model), known
        query_scorer, known = self._here
        return query_scorer.rank_answers(asked.relation, asked.backwards, asked.sources, asked.answers, known)


class _Local:
    """Ranks answers on the threads of this process, each with a scorer of its own."""

    def __init__(self, query_scorer: QueryScorer, known: KnownAnswers) -> None:
        query_scorer.find_constants()
        _ = query_scorer.evidence
        self._query_scorer, self._known, self._own = query_scorer, known, threading.local()

    def __call__(self, asked: _Asked) -> tuple[IdArray, IdArray]:
        if not hasattr(self._own, "query_scorer"):
            self._own.query_scorer = self._query_scorer.for_thread()
        scorer: QueryScorer = self._own.query_scorer
        return scorer.rank_answers(asked.relation, asked.backwards, asked.sources, asked.answers, self._known)


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
    names = query_scorer.graph.relations
    if cluster is None or cluster.is_local:
        asked = list(_asked(facts, _LOCAL_BATCH))
        with LocalCluster(threads) as pool:
            yield from _ranked(pool, _Local(query_scorer, known), asked, names, tick)
        return
    work = _Remote(cluster.share(pack((query_scorer.graph, query_scorer.model, known))))
    yield from _ranked(cluster, work, list(_asked(facts, _REMOTE_BATCH)), names, tick)


def _ranked(
    cluster: Cluster,
    work: Callable[[_Asked], tuple[IdArray, IdArray]],
    asked: list[_Asked],
    names: tuple[str, ...],
    tick: Callable[[str, int], None],
) -> Iterator[RankedQueries]:
    """Yield the ranks of queries that the workers of a cluster answer."""
    for one, found in zip(asked, cluster.stream(work, asked), strict=True):
        tick(names[one.relation], one.rows.size)
        yield RankedQueries(one.rows, int(one.backwards), *found)


def _asked(facts: IdArray, most: int) -> Iterator[_Asked]:
    """Yield the queries by relation and direction, at most `most` at a time, those of one source side by side."""
    order = np.argsort(facts[:, 1], kind="stable")
    relations, starts = np.unique(facts[order, 1], return_index=True)
    for relation, every in zip(relations.tolist(), np.split(order, starts[1:]), strict=bool(relations.size)):
        for backwards, (source, answer) in enumerate(((0, 2), (2, 0))):
            by_source = every[np.argsort(facts[every, source], kind="stable")]
            for first in range(0, by_source.size, most):
                rows = by_source[first : first + most]
                yield _Asked(relation, bool(backwards), rows, facts[rows, source], facts[rows, answer])
