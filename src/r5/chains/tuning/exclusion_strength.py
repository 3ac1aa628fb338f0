"""Strength of mutual exclusion, chosen by the ranks of held-out answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import argmax
from r5.chains.calibration.temperature import MAX_QUERIES
from r5.chains.graph.step_graph import IdArray
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.tuning.exclusions import Exclusions
from r5.chains.tuning.held_out import HeldOutQuery, held_out_queries, map_queries

__all__ = ["fit_exclusion_strength", "reciprocal_ranks", "select_by_lower_bound"]

FloatArray = NDArray[np.float64]

_STRENGTHS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
_TRIAL_QUERIES = 150
"""Number of queries after which the search ends unless some strength gains: queries with exclusions are slow."""


def fit_exclusion_strength(
    query_scorer: QueryScorer, held: IdArray, rng: np.random.Generator, threads: int = 1
) -> Exclusions:
    """Return the exclusions of a model with the strength that improves the reciprocal ranks of held-out answers.

    They are empty if no strength gains more than its standard error.
    """
    exclusions = query_scorer.model.exclusions
    queries = held_out_queries(query_scorer, held, rng, MAX_QUERIES) if len(exclusions.pairs) else []

    def gains_of(query: HeldOutQuery) -> list[float]:
        if not query_scorer.exclusions(query.target)[0]:
            return [0.0 for _ in _STRENGTHS]
        target, source, answer, _, answers = query
        ranks = reciprocal_ranks(query_scorer.rank_with_strengths(target, source, answer, answers, _STRENGTHS))
        gains: list[float] = (ranks - ranks[0]).tolist()
        return gains

    gains = map_queries(gains_of, queries[:_TRIAL_QUERIES], threads)
    if not gains or max(np.mean(gains, axis=0).tolist()) <= 0.0:
        return Exclusions()
    gains += map_queries(gains_of, queries[_TRIAL_QUERIES:], threads)
    strength = select_by_lower_bound(_STRENGTHS, gains)
    return replace(exclusions, strength=strength) if strength else Exclusions()


def reciprocal_ranks(counts: IdArray) -> FloatArray:
    """Return the reciprocal ranks of answers, [ranks], by the numbers of better and tied candidates, [ranks, 2]."""
    return np.asarray(1.0 / (1.0 + counts[:, 0] + counts[:, 1] / 2.0))


def select_by_lower_bound(values: Sequence[float], gains: list[list[float]]) -> float:
    """Return the value with the greatest mean gain minus its standard error.

    Args:
        values: Values to select from; the first is the default, whose gain is 0.
        gains: Gain of each value for each query, [queries, values].

    Returns:
        The selected value; the first if there are fewer than two queries.
    """
    if len(gains) < 2:
        return values[0]
    rows = np.array(gains)
    deviations = rows.std(axis=0, ddof=1)
    return values[argmax(rows.mean(axis=0) - deviations / np.sqrt(len(rows)))]
