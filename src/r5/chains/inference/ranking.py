"""Ranks of correct answers, a few thousand queries at a time, in this process or by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.step_graph import IdArray
from r5.chains.inference.query_scorer import QueryScorer
from r5.parallel.cluster import Cluster, Shared
from r5.parallel.pickling import pack, unpack

__all__ = ["RankedQueries", "rank_facts"]

_AT_ONCE = 2048
"""Queries that a worker is given at a time."""


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


def rank_facts(
    query_scorer: QueryScorer,
    facts: IdArray,
    known: KnownAnswers,
    tick: Callable[[str, int], None],
    cluster: Cluster | None = None,
) -> Iterator[RankedQueries]:
    """Yield the ranks of the tails and heads of facts.

    Args:
        query_scorer: The model on a graph.
        facts: Head, relation, tail, [facts, 3].
        known: Known answers, which are no candidates.
        tick: Called with the name of a relation and the number of queries answered.
        cluster: Workers that share the queries.
    """
    names = query_scorer.graph.relations
    if cluster is None or cluster.is_local:
        for one in _asked(facts, len(facts)):
            tick_relation = partial(tick, names[one.relation])
            found = query_scorer.rank_answers(
                one.relation, one.backwards, one.sources, one.answers, known, tick_relation
            )
            yield RankedQueries(one.rows, int(one.backwards), *found)
        return
    asked = list(_asked(facts, _AT_ONCE))
    work = _Remote(cluster.share(pack((query_scorer.graph, query_scorer.model, known))))
    for one, found in zip(asked, cluster.stream(work, asked), strict=True):
        tick(names[one.relation], one.rows.size)
        yield RankedQueries(one.rows, int(one.backwards), *found)


def _asked(facts: IdArray, most: int) -> Iterator[_Asked]:
    """Yield the queries by relation and direction, at most `most` at a time."""
    for relation in np.unique(facts[:, 1]).tolist():
        every = np.flatnonzero(facts[:, 1] == relation)
        for first in range(0, every.size, max(most, 1)):
            rows = every[first : first + most]
            heads, tails = facts[rows, 0], facts[rows, 2]
            yield _Asked(relation, False, rows, heads, tails)
            yield _Asked(relation, True, rows, tails, heads)
