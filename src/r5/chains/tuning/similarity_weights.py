"""Weights of the evidence of similar entities, chosen by the ranks of held-out answers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import argmax
from r5.chains.graph.step_graph import IdArray
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.similarity.evidence import SimilarityWeights
from r5.chains.tuning.exclusion_kernels import rank_with_weights
from r5.chains.tuning.exclusion_strength import reciprocal_ranks
from r5.chains.tuning.held_out import HeldOutQuery, held_out_queries, map_queries

__all__ = ["fit_similarity_weights", "select_by_standard_error"]

_VALUES = (0.0, 5.0, 10.0, 20.0, 40.0, 80.0)
"""Weights to try, of both kinds."""
_GRID = np.array(list(product(_VALUES, repeat=2)))
_USUAL = (3, 2)
"""Weights that need no evidence, as positions in `_VALUES`."""
_STEPS_AWAY = [abs(i - _USUAL[0]) + abs(j - _USUAL[1]) for i, j in product(range(len(_VALUES)), repeat=2)]
"""Distance of each pair of weights from the usual ones, in steps of `_VALUES`."""
_MIN_QUERIES = 8
"""Minimum number of queries; with fewer, similar entities are not used."""
_MAX_FACTS, _MAX_CANDIDATES = 2_000, 20_000_000
"""Maximum number of held-out facts, and of candidates of all their queries."""


def fit_similarity_weights(
    query_scorer: QueryScorer, held: IdArray, rng: np.random.Generator, threads: int = 1
) -> SimilarityWeights:
    """Return the weights that give the best mean reciprocal rank of held-out answers, by the one-standard-error rule.

    Of all weights whose mean is within one standard error of the best, those closest to the usual weights are chosen,
    so that few facts move them little.
    """
    limit = min(_MAX_FACTS, _MAX_CANDIDATES // max(query_scorer.graph.number_of_nodes, 1))
    queries = held_out_queries(query_scorer, held, rng, limit)
    if len(queries) < _MIN_QUERIES:
        return SimilarityWeights()
    by_sources = query_scorer.with_similarity(SimilarityWeights(1.0, 0.0))
    by_answers = query_scorer.with_similarity(SimilarityWeights(0.0, 1.0))
    ends = np.array([(query.target.step, query.source) for query in queries], np.int64)
    for step in np.unique(ends[:, 0]).tolist():
        by_answers.require_similar(step, ends[ends[:, 0] == step, 1], threads)

    def ranks_of(query: HeldOutQuery) -> NDArray[np.float64]:
        target, source, answer, _, answers = query
        evidence = [one.evidence_scores(target, source) for one in (by_sources, by_answers)]
        parts, counts = np.stack([query_scorer.rule_scores(target, source), *evidence]), np.empty((len(_GRID), 2), int)
        rank_with_weights(parts, _GRID, answer, answers, query_scorer.workspace.flags, counts)
        return reciprocal_ranks(counts)

    ranks = np.array(map_queries(ranks_of, queries, threads))  # [queries, weights]
    return SimilarityWeights(*_GRID[select_by_standard_error(ranks, _STEPS_AWAY)].tolist())


def select_by_standard_error(ranks: NDArray[np.float64], distances: Sequence[int]) -> int:
    """Return the number of the trial selected by the one-standard-error rule.

    Args:
        ranks: Reciprocal ranks, [queries, trials].
        distances: Distance of each trial from the usual one; among equally distant trials, the best is selected.
    """
    best = argmax(ranks.mean(axis=0).tolist())
    losses = ranks[:, [best]] - ranks
    mean_losses = losses.mean(axis=0)
    is_close = mean_losses <= losses.std(axis=0) / np.sqrt(len(ranks))
    keys = [(not is_close[i], distances[i], round(float(mean_losses[i]), 12)) for i in range(len(distances))]
    return keys.index(min(keys))
