"""Giving way: how strongly rivals count, and how usual candidates are, by facts that were not learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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

__all__ = ["fit_exclusion_strength", "held_out_rank_queries", "reciprocal_ranks", "surest_gain"]

FloatArray = NDArray[np.float64]
HeldOutQuery = tuple[int, int, int, IdArray]
"""A step, where it leads from, the answer, and all known answers."""

_FORCES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
_FIRST = 150
"""Where no force gains anything in so many questions, no more are asked: rivals take time."""


def fit_exclusion_strength(
    query_scorer: QueryScorer, held: IdArray, rng: np.random.Generator, threads: int = 1
) -> Exclusions:
    """The rivals of a model with the force that brings right answers to the front; none where no force surely does."""
    exclusions = query_scorer.model.exclusions
    queries = held_out_rank_queries(query_scorer, held, rng) if len(exclusions.pairs) else []

    def gains(query: HeldOutQuery, query_scorer: QueryScorer) -> list[float]:
        if not query_scorer.exclusions(query_scorer.model.targets[query[0]])[0]:
            return [0.0 for _ in _FORCES]
        return _gains(reciprocal_ranks(query_scorer, query, np.array(_FORCES)))

    found = map_queries([query_scorer], gains, queries[:_FIRST], threads)
    if not found or max(np.mean(found, axis=0).tolist()) <= 0.0:
        return Exclusions()
    strength = surest_gain(_FORCES, [*found, *map_queries([query_scorer], gains, queries[_FIRST:], threads)])
    return replace(exclusions, strength=strength) if strength else Exclusions()


def held_out_rank_queries(
    query_scorer: QueryScorer, held: IdArray, rng: np.random.Generator, most: int = MAX_QUERIES
) -> list[HeldOutQuery]:
    """The questions about facts that were not learned from, which tell."""
    graph = query_scorer.graph
    known = KnownAnswers(distinct(np.concatenate([graph.facts, held])), len(graph.relations))
    found = []
    for (source, relation, backwards), answer in held_out_queries(query_scorer, held, rng, most):
        others = known.of(source, relation, backwards)
        found.append((graph.step(relation, backwards), source, answer, others))
    return found


def reciprocal_ranks(
    query_scorer: QueryScorer,
    query: HeldOutQuery,
    strengths: FloatArray,
    more: FloatArray | None = None,
    offset_strengths: FloatArray | None = None,
) -> FloatArray:
    """One over the place of a question's answer, with each force and strength, as in `Answerer.place`."""
    step, source, answer, others = query
    found = query_scorer.rank_with_strengths(
        query_scorer.model.targets[step], source, answer, others, strengths, more, offset_strengths
    )
    return 1.0 / (1.0 + found[:, 0] + found[:, 1] / 2.0)


def _gains(ranks: FloatArray) -> list[float]:
    """By how much each is above the first."""
    found: list[float] = (ranks - ranks[0]).tolist()
    return found


def surest_gain(values: Sequence[float], gains: list[list[float]], doubt: float = 1.0) -> float:
    """The value that gains most, less what chance may have given it: a standard error or more."""
    if len(gains) < 2:
        return values[0]
    found = np.array(gains)
    return values[argmax(found.mean(axis=0) - doubt * found.std(axis=0, ddof=1) / np.sqrt(len(found)))]
