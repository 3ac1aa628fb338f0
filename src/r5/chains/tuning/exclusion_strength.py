"""Strength of mutual exclusion, chosen by the ranks of held-out answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import argmax
from r5.chains.calibration.held_out_scores import held_out_queries
from r5.chains.calibration.temperature import MAX_QUERIES
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.step_graph import IdArray, distinct
from r5.chains.inference.query_pool import map_queries
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.tuning.exclusions import Exclusions

__all__ = [
    "HeldOutQuery",
    "fit_exclusion_strength",
    "held_out_rank_queries",
    "reciprocal_ranks",
    "select_by_lower_bound",
]

FloatArray = NDArray[np.float64]

_STRENGTHS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
_TRIAL_QUERIES = 150
"""Number of queries after which the search ends unless some strength gains: queries with exclusions are slow."""


class HeldOutQuery(NamedTuple):
    """Query that a held-out fact answers."""

    step: int
    source: int
    answer: int
    known: IdArray  # all known answers, this one included


def fit_exclusion_strength(
    query_scorer: QueryScorer, held: IdArray, rng: np.random.Generator, threads: int = 1
) -> Exclusions:
    """Return the exclusions of a model with the strength that improves the reciprocal ranks of held-out answers.

    Args:
        query_scorer: The model on the graph that it was learned from.
        held: Held-out facts, none of them in that graph, [facts, 3].
        rng: Draws the queries.
        threads: Number of threads; the result does not depend on it.

    Returns:
        The exclusions; empty if no strength gains more than its standard error.
    """
    exclusions = query_scorer.model.exclusions
    queries = held_out_rank_queries(query_scorer, held, rng) if len(exclusions.pairs) else []

    def gains_of(query: HeldOutQuery, query_scorer: QueryScorer) -> list[float]:
        if not query_scorer.exclusions(query_scorer.model.targets[query.step])[0]:
            return [0.0 for _ in _STRENGTHS]
        ranks = reciprocal_ranks(query_scorer, query, np.array(_STRENGTHS))
        gains: list[float] = (ranks - ranks[0]).tolist()
        return gains

    gains = map_queries([query_scorer], gains_of, queries[:_TRIAL_QUERIES], threads)
    if not gains or max(np.mean(gains, axis=0).tolist()) <= 0.0:
        return Exclusions()
    gains += map_queries([query_scorer], gains_of, queries[_TRIAL_QUERIES:], threads)
    strength = select_by_lower_bound(_STRENGTHS, gains)
    return replace(exclusions, strength=strength) if strength else Exclusions()


def held_out_rank_queries(
    query_scorer: QueryScorer, held: IdArray, rng: np.random.Generator, limit: int = MAX_QUERIES
) -> list[HeldOutQuery]:
    """Return the queries of a random part of the held-out facts, in both directions.

    Args:
        query_scorer: The model on the graph that it was learned from.
        held: Held-out facts, [facts, 3].
        rng: Draws the facts.
        limit: Maximum number of facts.
    """
    graph = query_scorer.graph
    known = KnownAnswers(distinct(np.concatenate([graph.facts, held])), len(graph.relations))
    return [
        HeldOutQuery(graph.step(relation, backwards), source, answer, known.of(source, relation, backwards))
        for (source, relation, backwards), answer in held_out_queries(query_scorer, held, rng, limit)
    ]


def reciprocal_ranks(
    query_scorer: QueryScorer,
    query: HeldOutQuery,
    strengths: FloatArray,
    offsets: FloatArray | None = None,
    offset_strengths: FloatArray | None = None,
) -> FloatArray:
    """Return the filtered reciprocal rank of a query's answer for each strength, [trials].

    Args:
        query_scorer: The model.
        query: The query.
        strengths: Strengths of the exclusions, [trials].
        offsets: Scores to add, [entities]; none by default.
        offset_strengths: Factors of the offsets, [trials].
    """
    target = query_scorer.model.targets[query.step]
    ends = query.source, query.answer
    ranks = query_scorer.rank_with_strengths(target, *ends, query.known, strengths, offsets, offset_strengths)
    return 1.0 / (1.0 + ranks[:, 0] + ranks[:, 1] / 2.0)


def select_by_lower_bound(values: Sequence[float], gains: list[list[float]], standard_errors: float = 1.0) -> float:
    """Return the value with the greatest mean gain minus a number of standard errors.

    Args:
        values: Values to select from; the first is the default, whose gain is 0.
        gains: Gain of each value for each query, [queries, values].
        standard_errors: Number of standard errors to subtract.

    Returns:
        The selected value; the first if there are fewer than two queries.
    """
    if len(gains) < 2:
        return values[0]
    rows = np.array(gains)
    deviations = rows.std(axis=0, ddof=1)
    return values[argmax(rows.mean(axis=0) - standard_errors * deviations / np.sqrt(len(rows)))]
