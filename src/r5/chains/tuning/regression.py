"""Ridge regression of facts about fixed entities on one another.

`h(X, c) <= b(X, d)`: a property is a step to a fixed entity. Each frequent property is regressed on its most similar
properties over all entities, so that redundant properties share their weight. The strength of the resulting rules
beside the others is chosen on held-out facts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.inference.query_pool import map_queries
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.mining.constants import reversed_constants
from r5.chains.model import ChainModel, RelationModel
from r5.chains.training.weight_kernels import Weights
from r5.chains.tuning.exclusion_strength import (
    HeldOutQuery,
    held_out_rank_queries,
    reciprocal_ranks,
    select_by_lower_bound,
)
from r5.chains.tuning.regression_kernels import RegressionScratch, RegressionWeights, count_pairs, regress

__all__ = ["Regression", "add_regression", "fit_regression"]

FloatArray = NDArray[np.float64]

_MAX_PROPERTIES = 4_000
"""Maximum number of properties, the most frequent ones; their counts take 64 MB."""
_MIN_ENTITIES = 3
"""Minimum number of entities that have a property."""
_MAX_PAIRS = 1_000_000_000
"""Maximum number of pairs of properties of an entity to count; beyond it, there are fewer properties."""
_RIDGE = 30.0
"""L2 penalty: a predictor of this many entities reaches half of its weight."""
_SLICE = 64
"""Properties between two checks for an interrupt."""
_STRENGTHS = (0.0, 1.0, 2.0, 4.0, 8.0)
_MIN_GAIN = 0.003
"""Minimum gain in reciprocal rank that justifies the additional rules."""
_TRIAL_QUERIES = (400, 1_600)
"""Numbers of queries after which the search ends unless some strength gains."""
_MAX_FACTS, _MAX_CANDIDATES = 3_000, 20_000_000
"""Maximum number of held-out facts, and of candidates of all their queries; small gains need many facts."""
_STANDARD_ERRORS = 2.0
"""Standard errors subtracted from each gain, as the other weights were trained without these rules."""


@dataclass(frozen=True, eq=False)
class Regression:
    """Rules with constants of one step, as in `r5.chains.mining.constants`, and their weights at strength 1."""

    rules: IdArray  # [rules, 4]
    weights: FloatArray  # [rules]


def fit_regression(graph: StepGraph, limit: int, *, max_pairs: int = _MAX_PAIRS) -> dict[int, Regression]:
    """Regress each frequent property on others.

    Args:
        graph: The graph.
        limit: Maximum number of predictors of a property.
        max_pairs: Maximum number of pairs of properties of an entity to count.

    Returns:
        Forward rules of each step whose properties have predictors.
    """
    entities, properties, keys = _properties(graph, max_pairs)
    if not keys.size or not limit:
        return {}
    size, limit = keys.size, min(limit, keys.size)
    offsets = np.searchsorted(entities, np.arange(graph.number_of_nodes + 1))
    counts = np.zeros((size, size), np.int32)
    count_pairs(offsets, properties, counts)
    result = RegressionWeights(
        np.zeros((size, limit), np.int64), np.zeros((size, limit)), sizes=np.zeros(size, np.int64)
    )
    scratch = RegressionScratch(np.zeros((limit, limit)), np.zeros(limit))
    for first in range(0, size, _SLICE):  # an interrupt is handled between slices
        regress(counts, first, min(first + _SLICE, size), _RIDGE, result, scratch)
    response = np.repeat(np.arange(size), result.sizes)
    used = np.arange(limit) < result.sizes[:, None]
    predictors, weights = keys[result.predictors[used]], result.weights[used]
    nodes = graph.number_of_nodes
    columns = [predictors // nodes, predictors % nodes, keys[response] % nodes, np.zeros_like(response)]
    rules = np.stack(columns, axis=1)
    steps = keys[response] // nodes
    return {step: Regression(rules[steps == step], weights[steps == step]) for step in np.unique(steps).tolist()}


def _properties(graph: StepGraph, max_pairs: int) -> tuple[IdArray, IdArray, IdArray]:
    """Return entities, in order, the property of each, and the key of each property: step * entities + entity."""
    steps, nodes = graph.steps, graph.number_of_nodes
    row = np.repeat(np.arange(steps.row_nodes.size), np.diff(steps.row_offsets))
    edge_keys = steps.row_steps[row].astype(np.int64) * nodes + steps.targets
    distinct = np.ones(row.size, dtype=bool)  # a symmetric fact stored both ways has two edges
    distinct[1:] = (row[1:] != row[:-1]) | (edge_keys[1:] != edge_keys[:-1])
    entities, edge_keys = steps.row_nodes[row[distinct]].astype(np.int64), edge_keys[distinct]
    keys, numbers, counts = np.unique(edge_keys, return_inverse=True, return_counts=True)
    order = np.lexsort((np.arange(keys.size), -counts))
    order = order[counts[order] >= _MIN_ENTITIES][:_MAX_PROPERTIES]
    while True:
        place = np.full(keys.size, -1)
        chosen = np.sort(order)
        place[chosen] = np.arange(chosen.size)
        stays = place[numbers] >= 0
        sizes = np.bincount(entities[stays], minlength=nodes)
        if (sizes * sizes).sum() <= max_pairs:
            return entities[stays], place[numbers[stays]], keys[chosen]
        order = order[: order.size // 2]


def add_regression(
    query_scorer: QueryScorer, held: IdArray, rng: np.random.Generator, limit: int, threads: int = 1
) -> ChainModel:
    """Add the rules of the regression to a model, with the strength that improves the ranks of held-out answers.

    Args:
        query_scorer: The model on the graph that it was learned from.
        held: Held-out facts, none of them in that graph, [facts, 3].
        rng: Draws the queries.
        limit: Maximum number of predictors of a property; 0 for no regression.
        threads: Number of threads; the result does not depend on it.

    Returns:
        The model with the rules, or the same model if no strength gains enough.
    """
    model, graph = query_scorer.model, query_scorer.graph
    max_facts = min(_MAX_FACTS, _MAX_CANDIDATES // max(graph.number_of_nodes, 1))
    queries = held_out_rank_queries(query_scorer, held, rng, max_facts)
    added = _targets(graph, model, fit_regression(graph, limit)) if queries else {}
    if not added:
        return model
    regression_scorer = QueryScorer(graph, replace(model, targets=added))
    gains: list[list[float]] = []
    for end in (*_TRIAL_QUERIES, len(queries)):
        gains += map_queries([query_scorer, regression_scorer], _gains, queries[len(gains) : end], threads)
        if len(gains) < len(queries) and not _is_promising(gains):
            return model
    strength = select_by_lower_bound(_STRENGTHS, gains, _STANDARD_ERRORS)
    if not strength:
        return model
    targets = {step: _join(target, added.get(step), strength) for step, target in model.targets.items()}
    return replace(model, targets=targets)


def _gains(query: HeldOutQuery, query_scorer: QueryScorer, regression_scorer: QueryScorer) -> list[float]:
    """Return the gain of each strength in reciprocal rank, less the minimum gain."""
    target = regression_scorer.model.targets.get(query.step)
    nodes = query_scorer.graph.number_of_nodes
    offsets = np.zeros(nodes) if target is None else regression_scorer.rule_scores(target, query.source)
    ranks = reciprocal_ranks(query_scorer, query, np.zeros(len(_STRENGTHS)), offsets, np.array(_STRENGTHS))
    return [0.0, *(ranks[1:] - ranks[0] - _MIN_GAIN).tolist()]


def _is_promising(gains: list[list[float]]) -> bool:
    """Return whether the mean gain of some strength exceeds its standard error."""
    rows = np.array(gains)
    return bool((rows.mean(axis=0) > rows.std(axis=0, ddof=1) / np.sqrt(len(rows))).any())


def _targets(graph: StepGraph, model: ChainModel, regressions: dict[int, Regression]) -> dict[int, RelationModel]:
    """Return targets with the rules of the regression only; the inverse step has the same rules, reversed."""
    targets = {}
    for relation in graph.used():
        steps = graph.steps_of(relation)
        parts = [(regressions[step], place) for place, step in enumerate(steps) if step in regressions]
        if len(steps) == 1:
            parts += [(part, 1) for part, _ in parts]
        if not parts:
            continue
        rules = np.concatenate(
            [reversed_constants(part.rules) if reversed_ else part.rules for part, reversed_ in parts]
        )
        weights = np.zeros((len(rules), 3))
        weights[:, 0] = np.concatenate([part.weights for part, _ in parts])
        for place, step in enumerate(steps):
            if step not in model.targets:
                continue
            own = reversed_constants(rules) if place else rules
            biases = model.targets[step].weights
            no_biases = np.zeros_like(biases.steps), np.zeros_like(biases.start)
            targets[step] = RelationModel(step, (), own, Weights(weights, *no_biases))
    return targets


def _join(target: RelationModel, added: RelationModel | None, strength: float) -> RelationModel:
    """Return a target with the rules of both; the weights of a rule that both have are summed."""
    if added is None:
        return target
    rules = np.concatenate([target.constants, added.constants])
    _, first, group = np.unique(rules, axis=0, return_index=True, return_inverse=True)
    order = np.sort(first)  # by first occurrence
    place = np.searchsorted(order, first)[group.ravel()]
    size = len(target.bodies)
    weights = np.zeros((size + order.size, 3))
    weights[:size] = target.weights.rules[:size]
    np.add.at(weights, size + place[: len(target.constants)], target.weights.rules[size:])
    np.add.at(weights, size + place[len(target.constants) :], strength * added.weights.rules)
    return replace(target, constants=rules[order], weights=target.weights._replace(rules=weights))
