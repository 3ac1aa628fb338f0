"""Fitting of the probability of a fact on held-out facts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5.chains.calibration.fact_features import FEATURES, LEAST
from r5.chains.calibration.fact_probability import FactCalibration, quadratic
from r5.chains.calibration.positive_unlabelled import fit_level, fit_logistic, linear_scores
from r5.chains.graph.step_graph import IdArray
from r5.chains.inference.candidate_kernels import QueryRows
from r5.chains.inference.candidates import CandidateFinder
from r5.chains.inference.fact_scorer import FactScorer
from r5.chains.inference.log_probabilities import fact_log_probabilities, new_candidates
from r5.chains.inference.queries import Queries, plausible_queries
from r5.chains.inference.query_scorer import QueryScorer
from r5.parallel.local_cluster import LocalCluster

__all__ = ["calibrate_facts", "count_confidences"]

FloatArray = NDArray[np.float64]
_MAX_CASES, _MAX_CONTROLS = 3_000, 6_000
"""Maximum number of queries with and without a held-out answer."""
_MAX_POSITIVES, _MAX_NEGATIVES = 3_000, 10_000
"""Maximum number of labelled and unlabelled facts."""
_MAX_COUNTED = 60_000
"""Maximum number of queries, over all steps, for the confidences of rules."""
_MIN_HELD_OUT = 8
"""Minimum number of held-out facts found among the candidates."""
_LINEAR_PENALTY, _PRODUCT_PENALTY = 0.1, 300.0
"""L2 penalties of the features and of their products, all standardised."""
_FOLDS = 5
_LEVELS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.95)
"""Levels that the regression tries; the final one is fitted on the scores of cross-validation."""
_LOOSE_TOLERANCE = 1e-5
"""Tolerance of fits whose coefficients are not kept."""
_DIGITS = 7
"""Digits of coefficients: the last bits of a matrix product differ between processors."""


def count_confidences(
    query_scorer: QueryScorer, rng: np.random.Generator, threads: int = 1
) -> dict[int, NDArray[np.float64]]:
    """Return the confidence of every rule on the graph, [rules], by step.

    `rng` draws the plausible queries that are counted; small graphs use all of them.
    """
    finder = CandidateFinder(query_scorer, threads)
    queries = plausible_queries(query_scorer)
    limit = max(_MAX_COUNTED // max(len(query_scorer.model.targets), 1), 1)
    sources, none = {}, np.zeros(0, np.int64)
    relations = len(query_scorer.graph.relations)
    steps = queries.relations + relations * queries.backwards
    order = np.argsort(steps, kind="stable")
    for step in query_scorer.model.targets:
        first, last = np.searchsorted(steps, [step, step + 1], sorter=order)
        sources[step] = np.sort(rng.permutation(queries.entities[order[first:last]])[:limit])

    def count(step: int) -> FloatArray:
        backwards, relation = divmod(step, relations)
        known, offsets = query_scorer.known.answers(sources[step], relation, bool(backwards))
        rows = QueryRows(sources[step], known, offsets, none, none)
        return finder.confidences(query_scorer.model.targets[step], rows).round(_DIGITS)

    with LocalCluster(threads) as pool:
        return dict(zip(sources, pool.stream(count, list(sources)), strict=True))


def calibrate_facts(
    query_scorer: QueryScorer, held: IdArray, rng: np.random.Generator, *, returned: bool, threads: int = 1
) -> FactCalibration:
    """Fit P(fact is true) on facts that the model has not learned from.

    `returned` tells whether the held-out facts go back to the graph afterwards.
    """
    scorer = FactScorer(query_scorer, threads)
    facts, labels, weights = _sample(scorer.finder, held, rng)
    facts, first, place = np.unique(facts, axis=0, return_index=True, return_inverse=True)
    labels, weights = labels[first], np.asarray(np.bincount(place.ravel(), weights), np.float64)
    if labels.sum() < _MIN_HELD_OUT or labels.all():
        return FactCalibration.uncalibrated()
    unmasked = np.full(len(facts), -1)
    logs = fact_log_probabilities(scorer.finder, facts, unmasked)
    # A fact found by both of its queries was drawn twice as often.
    weights = np.where((logs[:, [1, 3]] >= LEAST).all(axis=1), weights / 2, weights)
    return _fit(scorer.features.of(facts, logs, unmasked), labels, weights, rng, returned)


def _sample(finder: CandidateFinder, held: IdArray, rng: np.random.Generator) -> tuple[IdArray, FloatArray, FloatArray]:
    """Draw candidate facts of queries with and without a held-out answer; return facts, labels and weights."""
    query_scorer = finder.query_scorer
    cases = _held_queries(query_scorer, held)
    others = plausible_queries(query_scorer)
    keys = [_keys(queries, len(query_scorer.graph.relations)) for queries in (cases, others)]
    others = others.select(np.flatnonzero(~np.isin(keys[1], keys[0])))
    parts = []
    for queries, limit in ((cases, _MAX_CASES), (others, _MAX_CONTROLS)):
        size = queries.entities.size
        chosen = np.sort(rng.permutation(size)[:limit])
        facts, fresh, _ = new_candidates(finder, queries.select(chosen))
        parts.append((facts, fresh, np.full(len(facts), size / max(chosen.size, 1))))
    facts, fresh, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    nodes, relations = query_scorer.graph.number_of_nodes, len(query_scorer.graph.relations)
    place = np.array([nodes * relations, nodes, 1])
    labels = np.isin(facts @ place, held @ place).astype(np.float64)
    # Labelled facts are drawn evenly, unlabelled ones by probability.
    share = np.where(labels > 0, _MAX_POSITIVES / max(labels.sum(), 1), 0.0)
    likely = np.where(labels > 0, 0.0, np.maximum(0.05, np.exp(fresh / 2)))
    share += _MAX_NEGATIVES * likely / max(likely.sum(), 1e-9)
    share = np.minimum(share, 1.0)
    kept = np.flatnonzero(rng.random(share.size) < share)
    return facts[kept], labels[kept], weights[kept] / share[kept]


def _held_queries(query_scorer: QueryScorer, held: IdArray) -> Queries:
    """Return the distinct queries that held-out facts answer and the model has targets for."""
    both = np.concatenate([np.insert(held[:, [side, 1]], 0, side > 0, axis=1) for side in (0, 2)])
    backwards, entities, relations = np.unique(both, axis=0).T
    queries, graph = Queries(entities, relations, backwards > 0), query_scorer.graph
    steps = np.where(queries.backwards, graph.steps_along(relations, True), relations)
    return queries.select(np.flatnonzero(np.isin(steps, list(query_scorer.model.targets))))


def _keys(queries: Queries, relations: int) -> IdArray:
    """Return a distinct integer for each query."""
    return np.asarray((queries.entities * relations + queries.relations) * 2 + queries.backwards)


def _fit(
    found: FloatArray, labels: FloatArray, weights: FloatArray, rng: np.random.Generator, returned: bool
) -> FactCalibration:
    """Fit the regression, then its level and slope on the scores of cross-validation."""
    total = weights.sum()
    shares = (weights / total)[:, None]
    mean = (shares * found).sum(axis=0)
    scale = np.sqrt((shares * (found - mean) ** 2).sum(axis=0))
    scale[scale < 1e-9] = 1.0
    columns = quadratic((found - mean) / scale)
    centre, spread = np.zeros(columns.shape[1]), np.ones(columns.shape[1])
    centre[1:] = (shares * columns[:, 1:]).sum(axis=0)
    spread[1:] = np.maximum(np.sqrt((shares * (columns[:, 1:] - centre[1:]) ** 2).sum(axis=0)), 1e-9)
    columns = (columns - centre) / spread
    size = 1 + len(FEATURES)
    penalty = np.concatenate(
        [[1e-6], np.full(size - 1, _LINEAR_PENALTY), np.full(columns.shape[1] - size, _PRODUCT_PENALTY)]
    )
    start = np.zeros(columns.shape[1])
    rate = float((weights * labels).sum() / total)
    start[0] = np.log(rate / (1.0 - rate))
    linear, level, best = start[:size], 1.0, -np.inf
    for tried in _LEVELS:
        linear, reached = fit_logistic(
            columns[:, :size], labels, weights, tried, penalty[:size], linear, tolerance=_LOOSE_TOLERANCE
        )
        if reached > best:
            level, best, start[:size] = tried, reached, linear
    coefficients, _ = fit_logistic(columns, labels, weights, level, penalty, start)
    folds = rng.integers(_FOLDS, size=labels.size)
    scores = np.zeros(labels.size)
    for fold in range(_FOLDS):
        own = folds == fold
        others = columns[~own], labels[~own], weights[~own]
        fold_coefficients, _ = fit_logistic(*others, level, penalty, coefficients, tolerance=_LOOSE_TOLERANCE)
        scores[own] = linear_scores(columns[own], fold_coefficients)
    level, intercept, slope = fit_level(np.clip(scores, -30.0, 30.0), labels, weights)
    # Coefficients of the polynomial in the standardised features, whose columns were standardised again.
    polynomial = slope * coefficients / spread
    polynomial[0] = intercept + slope * (coefficients[0] - (coefficients[1:] * centre[1:] / spread[1:]).sum())
    return FactCalibration(mean.round(_DIGITS), scale.round(_DIGITS), polynomial.round(_DIGITS), level, returned)
