"""Regression: facts about fixed entities that tell one another, weighed together.

`h(X, c) <= b(X, d)`: a property is to have a step to an entity, and each usual one is told by the properties that go
with it most, by ridge regression over all entities: of several that say the same, each counts for a part. How much all
that counts beside the other rules is told by facts that were not learned from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.inference.query_pool import map_queries
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.mining.constants import reversed_constants
from r5.chains.model import ChainModel, Target
from r5.chains.training.weight_kernels import Weights
from r5.chains.tuning.exclusion_strength import HeldOutQuery, held_out_rank_queries, reciprocal_ranks, surest_gain
from r5.chains.tuning.regression_kernels import count_pairs, regress

__all__ = ["Regression", "regression", "with_regression"]

FloatArray = NDArray[np.float64]

_PROPERTIES = 4_000
"""So many properties, the most usual ones, tell one another, at the most; so their counts take 64 megabytes."""
_FEWEST = 3
"""So many entities have each of them, at least."""
_WORK = 1_000_000_000
"""So many pairs of properties of an entity are counted, at the most; else there are fewer properties."""
_RIDGE = 30.0
"""So many entities must have a property before what they have counts for much more than half."""
_SLICE = 64
_STRENGTHS = (0.0, 1.0, 2.0, 4.0, 8.0)
_WORTH = 0.003
"""A gain of less is not worth that many more rules."""
_FIRST = (400, 1_600)
"""Where no strength seems to gain anything in so many questions, no more are asked."""
_MAX_QUERIES, _CANDIDATES = 3_000, 20_000_000
"""So many facts are asked for, at the most, and with so many candidates in all: gains are small, and many tell."""
_DOUBT = 2.0
"""So many standard errors of the gain must leave some of it: the other weights were learned without this."""


@dataclass(frozen=True, eq=False)
class Regression:
    """Rules with constants of one step, as in `r5.chains.mining.constants`, and their weights at a strength of 1."""

    rules: IdArray  # [rules, 4]
    weights: FloatArray  # [rules]


def regression(graph: StepGraph, most: int) -> dict[int, Regression]:
    """For each step the rules that regression weighs, no more than `most` for each answer, read ahead."""
    entities, properties, keys = _properties(graph)
    if not keys.size or not most:
        return {}
    size, most = keys.size, min(most, keys.size)
    offsets = np.searchsorted(entities, np.arange(graph.number_of_nodes + 1))
    counts = np.zeros((size, size), np.int32)
    count_pairs(offsets, properties, counts)
    chosen, weights, sizes = np.zeros((size, most), np.int64), np.zeros((size, most)), np.zeros(size, np.int64)
    matrix, likeness = np.zeros((most, most)), np.zeros(most)
    for first in range(0, size, _SLICE):  # in pieces, so that an interrupt is heard
        regress(counts, first, min(first + _SLICE, size), _RIDGE, chosen, weights, sizes, matrix, likeness)
    notify = np.repeat(np.arange(size), sizes)
    taken = np.arange(most) < sizes[:, None]
    predictors, weighed = keys[chosen[taken]], weights[taken]
    nodes = graph.number_of_nodes
    rules = np.stack([predictors // nodes, predictors % nodes, keys[notify] % nodes, np.zeros_like(notify)], axis=1)
    steps = keys[notify] // nodes
    return {step: Regression(rules[steps == step], weighed[steps == step]) for step in np.unique(steps).tolist()}


def _properties(graph: StepGraph) -> tuple[IdArray, IdArray, IdArray]:
    """Entities beside their properties, by entity, and what each property is: step * entities + entity."""
    steps, nodes = graph.steps, graph.number_of_nodes
    row = np.repeat(np.arange(steps.row_nodes.size), np.diff(steps.row_offsets))
    having = steps.row_steps[row].astype(np.int64) * nodes + steps.targets
    once = np.ones(row.size, dtype=bool)  # a symmetric fact that stands there both ways has two edges
    once[1:] = (row[1:] != row[:-1]) | (having[1:] != having[:-1])
    entities, having = steps.row_nodes[row[once]].astype(np.int64), having[once]
    keys, numbers, counts = np.unique(having, return_inverse=True, return_counts=True)
    order = np.lexsort((np.arange(keys.size), -counts))
    order = order[counts[order] >= _FEWEST][:_PROPERTIES]
    while True:
        place = np.full(keys.size, -1)
        chosen = np.sort(order)
        place[chosen] = np.arange(chosen.size)
        stays = place[numbers] >= 0
        each = np.bincount(entities[stays], minlength=nodes)
        if (each * each).sum() <= _WORK:
            return entities[stays], place[numbers[stays]], keys[chosen]
        order = order[: order.size // 2]


def with_regression(
    query_scorer: QueryScorer, held: IdArray, rng: np.random.Generator, most: int, threads: int = 1
) -> ChainModel:
    """The model with what regression says, as strong as brings right answers of facts not learned from to the front."""
    model = query_scorer.model
    queries = held_out_rank_queries(
        query_scorer, held, rng, min(_MAX_QUERIES, _CANDIDATES // max(query_scorer.graph.number_of_nodes, 1))
    )
    more = _targets(query_scorer.graph, model, regression(query_scorer.graph, most)) if queries else {}
    if not more:
        return model
    beside = QueryScorer(query_scorer.graph, replace(model, targets=more))
    gains: list[list[float]] = []
    for some in (*_FIRST, len(queries)):
        gains += map_queries([query_scorer, beside], _gains, queries[len(gains) : some], threads)
        if len(gains) < len(queries) and not _promising(gains):
            return model
    offset_strength = surest_gain(_STRENGTHS, gains, _DOUBT)
    if not offset_strength:
        return model
    return replace(
        model, targets={step: _joined(one, more.get(step), offset_strength) for step, one in model.targets.items()}
    )


def _gains(query: HeldOutQuery, query_scorer: QueryScorer, beside: QueryScorer) -> list[float]:
    """What each strength gains, less what it must be worth."""
    step, source, *_ = query
    more = beside.model.targets.get(step)
    rule_scores = np.zeros(query_scorer.graph.number_of_nodes) if more is None else beside.rule_scores(more, source)
    ranks = reciprocal_ranks(query_scorer, query, np.zeros(len(_STRENGTHS)), rule_scores, np.array(_STRENGTHS))
    return [0.0, *(ranks[1:] - ranks[0] - _WORTH).tolist()]


def _promising(gains: list[list[float]]) -> bool:
    """Whether any strength gains more than a standard error."""
    found = np.array(gains)
    return bool((found.mean(axis=0) > found.std(axis=0, ddof=1) / np.sqrt(len(found))).any())


def _targets(graph: StepGraph, model: ChainModel, found: dict[int, Regression]) -> dict[int, Target]:
    """What regression says alone: a rule is read from its end for the step that leads back."""
    targets = {}
    for relation in graph.used():
        steps = [step for step in graph.steps_of(relation) if step in model.targets]
        both = [(found[step], place) for place, step in enumerate(graph.steps_of(relation)) if step in found]
        if len(graph.steps_of(relation)) == 1:
            both += [(one, 1) for one, _ in both]
        if not both:
            continue
        rules = np.concatenate([reversed_constants(one.rules) if reversed_ else one.rules for one, reversed_ in both])
        weights = np.zeros((len(rules), 4))
        weights[:, 0] = np.concatenate([one.weights for one, _ in both])
        for step in steps:
            own = reversed_constants(rules) if step != graph.steps_of(relation)[0] else rules
            nothing = model.targets[step].weights
            targets[step] = Target(
                step, (), own, Weights(weights, np.zeros_like(nothing.steps), np.zeros_like(nothing.start))
            )
    return targets


def _joined(target: Target, more: Target | None, offset_strength: float) -> Target:
    """A target with what regression says; a rule that both have has both weights."""
    if more is None:
        return target
    rules = np.concatenate([target.constants, more.constants])
    _, first, which = np.unique(rules, axis=0, return_index=True, return_inverse=True)
    order = np.sort(first)  # in the order in which each comes first
    place = np.searchsorted(order, first)[which.ravel()]
    size = len(target.bodies)
    weights = np.zeros((size + order.size, 4))
    weights[:size] = target.weights.rules[:size]
    np.add.at(weights, size + place[: len(target.constants)], target.weights.rules[size:])
    np.add.at(weights, size + place[len(target.constants) :], offset_strength * more.weights.rules)
    return replace(target, constants=rules[order], weights=target.weights._replace(rules=weights))
