"""Held-out facts for tuning and calibration, and the queries that they answer.

Tuning and calibration take a model on the graph that it was learned from, held-out facts that this graph lacks,
[facts, 3], a generator that draws the queries, and a number of threads, which results do not depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.step_graph import IdArray, StepGraph, distinct
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.model import RelationModel
from r5.parallel.local_cluster import LocalCluster

__all__ = ["HeldOutQuery", "held_out_queries", "hold_out", "map_queries"]

Result = TypeVar("Result")
_MAX_SHARE, _MAX_FACTS = 0.1, 1_000
"""Maximum share of each relation's facts, and maximum number of facts, to hold out."""
_MAX_CANDIDATES, _MIN_FACTS = 100_000_000, 100
"""Maximum number of candidates of all queries, and number of facts that are queried despite it."""
_PIECE = 16
"""Queries that a thread is given at a time."""


class HeldOutQuery(NamedTuple):
    """Query that a held-out fact answers."""

    target: RelationModel
    source: int
    answer: int
    known: IdArray  # answers in the graph
    answers: IdArray  # all answers, held-out ones included


def hold_out(graph: StepGraph, rng: np.random.Generator) -> IdArray:
    """Draw facts to hold out: one in ten of each relation, at most 1,000 in all, none of small relations.

    Args:
        graph: The graph.
        rng: Draws the facts.

    Returns:
        Held-out facts in the order of the graph, [facts, 3].
    """
    share = min(_MAX_SHARE, _MAX_FACTS / max(len(graph.facts), 1))
    order = rng.permutation(len(graph.facts))
    relations = graph.facts[order, 1]
    by_relation = np.argsort(relations, kind="stable")
    sizes = np.bincount(relations, minlength=len(graph.relations))
    place = np.arange(order.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    chosen = order[by_relation[place < (share * sizes[relations[by_relation]]).astype(np.int64)]]
    held: IdArray = graph.facts[np.sort(chosen)]
    return held


def held_out_queries(
    query_scorer: QueryScorer, held: IdArray, rng: np.random.Generator, limit: int
) -> list[HeldOutQuery]:
    """Return both queries of a random part of the held-out facts, where the model has a target.

    `limit` is the maximum number of facts.
    """
    queries, graph = [], query_scorer.graph
    every = KnownAnswers(distinct(np.concatenate([graph.facts, held])), len(graph.relations))
    limit = min(limit, max(_MAX_CANDIDATES // max(graph.number_of_nodes, 1), _MIN_FACTS))
    for head, relation, tail in rng.permutation(held)[:limit].tolist():
        for backwards, source, answer in ((False, head, tail), (True, tail, head)):
            target, query = query_scorer.target(relation, backwards), (source, relation, backwards)
            if target is not None:
                known, answers = query_scorer.known.of(*query), every.of(*query)
                queries.append(HeldOutQuery(target, source, answer, known, answers))
    return queries


def map_queries(ask: Callable[[HeldOutQuery], Result], queries: Sequence[HeldOutQuery], threads: int) -> list[Result]:
    """Return the result of a function for each query, in order; it does not depend on the number of threads."""

    def some(first: int) -> list[Result]:
        return [ask(query) for query in queries[first : first + _PIECE]]

    with LocalCluster(threads) as pool:
        parts = pool.map(some, range(0, len(queries), _PIECE))
    return [result for part in parts for result in part]
