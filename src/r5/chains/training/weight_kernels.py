"""Compiled kernels that learn weights with Adagrad, by softmax cross-entropy over the candidates of a query.

The score of a candidate is the sum of the rules that reach it and of its entity bias. A rule has four weights: a
constant and one for each of its three features. The entity bias has three weights for each step that the entity has
(a constant, one for two edges or more, one for log(1 + edges)), and one weight for the source of the query.

Rule weights are updated after each query. Bias weights, which most candidates of most queries share, are updated
after each batch of queries, so the bias of an entity is computed once for each batch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner
from r5._util.kernels.elementary_kernels import exp_of, log_of
from r5.chains.features.feature_kernels import FeatureStore, QueryBatch
from r5.chains.graph.step_kernels import Mask, Steps, count_masked, degree

__all__ = ["OptimizerState", "TrainingScratch", "Weights", "learn", "property_score"]

Array = NDArray[Any]
BATCH = 4
"""Number of queries between two updates of the bias weights."""
EPSILON = 1e-4
"""Initial value of Adagrad's accumulators. With a far smaller one, weights whose gradient is mostly weight decay
oscillate with growing amplitude because of rounding errors."""
MIN_ERROR = 1e-6
"""Minimum absolute sum of the errors of an entity in a batch for an update of bias weights."""
MIN_LOSS = 0.002
"""Minimum of 1 - P(answer) of a query for an update of weights."""


class Weights(NamedTuple):
    """Weights of one step, or an array of the same layout."""

    rules: Array  # [rules, 3], constant, forward, backward
    steps: Array  # [steps, 3], entity bias: constant, two edges or more, log(1 + edges)
    start: Array  # [1], entity bias of the source


class OptimizerState(NamedTuple):
    """Adagrad state of one direction."""

    weights: Weights
    accumulator: Weights  # sums of squared gradients
    learning_rate: float
    weight_decay: float
    constant_weight_decay: float  # of rules with constants


class TrainingScratch(NamedTuple):
    """Scratch arrays of training. Arrays by position hold the entities of the current batch."""

    scores: Array  # [maximum candidates of a query], scores, then errors
    gradients: Array  # [steps, 4], gradients of the bias weights; column 3 marks steps to update
    positions: Array  # [entities], position of an entity in the batch, -1 for none
    entities: Array  # [entities], entity at each position
    entity_bias: Array  # [entities], bias at each position
    errors: Array  # [entities], sum of errors at each position
    size: Array  # [1], number of entities in the batch
    start_gradient: Array  # [1], gradient of the weight of the source
    kind_terms: Array  # [kinds], term that a row of each kind adds to the bias of its entity
    kind_errors: Array  # [kinds], sum of errors of the rows of each kind


@njit_inner
def property_score(steps: Steps, entity: int, mask: Mask, weights: Weights) -> float:
    """Return the entity bias, without the weight of the source."""
    total = 0.0
    at_end = entity == mask.source or entity == mask.target  # noqa: PLR1714
    for row in range(steps.node_rows[entity], steps.node_rows[entity + 1]):
        step, kind = steps.row_steps[row], steps.kinds[row]
        log, twice = steps.kind_logs[kind], steps.kind_twice[kind]
        if at_end and count_masked(steps, entity, int64(step), mask) > 0:
            count = degree(steps, row, mask)
            if count == 0:
                continue
            log, twice = log_of(1.0 + count), count > 1
        total += weights.steps[step, 0] + weights.steps[step, 2] * log
        if twice:
            total += weights.steps[step, 1]
    return total


@njit_inner
def set_terms(steps: Steps, step: int, weights: Weights, scratch: TrainingScratch) -> None:
    """Compute the bias terms of the kinds of a step."""
    for kind in range(steps.first_kinds[step], steps.first_kinds[step + 1]):
        term = weights.steps[step, 0] + weights.steps[step, 2] * steps.kind_logs[kind]
        scratch.kind_terms[kind] = term + weights.steps[step, 1] if steps.kind_twice[kind] else term


@njit_inner
def entity_bias(steps: Steps, entity: int, mask: Mask, weights: Weights, scratch: TrainingScratch) -> float:
    """Return the bias of an entity, computed once per batch for entities that the masked edge does not touch."""
    if entity == mask.source or entity == mask.target:  # noqa: PLR1714
        return property_score(steps, entity, mask, weights)
    if scratch.positions[entity] < 0:
        position = int64(scratch.size[0])
        scratch.size[0] += 1
        scratch.positions[entity] = position
        scratch.entities[position] = entity
        scratch.errors[position] = 0.0
        total = 0.0
        for row in range(steps.node_rows[entity], steps.node_rows[entity + 1]):
            total += scratch.kind_terms[steps.kinds[row]]
        scratch.entity_bias[position] = total
    return float(scratch.entity_bias[scratch.positions[entity]])


@njit_inner
def score(steps: Steps, store: FeatureStore, query: int, mask: Mask, weights: Weights, scratch: TrainingScratch) -> int:
    """Score the candidates of a query into `scratch.scores`; return their number."""
    begin = store.offered[query]
    size = int64(store.offered[query + 1] - begin)
    scores = scratch.scores
    for i in range(size):
        entity = int64(store.candidates[begin + i])
        scores[i] = entity_bias(steps, entity, mask, weights, scratch)
        if entity == mask.source:
            scores[i] += weights.start[0]
    for use in range(store.used[query], store.used[query + 1]):
        rule = store.rules[use]
        applies, forward, back = weights.rules[rule, 0], weights.rules[rule, 1], weights.rules[rule, 2]
        for entry in range(store.starts[use], store.starts[use + 1]):
            scores[store.places[entry]] += (
                applies + forward * store.features[entry, 0] + back * store.features[entry, 1]
            )
    return size


@njit_inner
def update(weights: Array, accumulator: Array, i: int, j: int, gradient: float, learning_rate: float) -> None:
    """Update one weight with Adagrad."""
    accumulator[i, j] += gradient * gradient
    weights[i, j] -= learning_rate * gradient / np.sqrt(accumulator[i, j] + EPSILON)


@njit_inner
def update_rules(store: FeatureStore, query: int, errors: Array, optimizer: OptimizerState, chains: int) -> None:
    """Update the weights of the rules that a query uses; those from number `chains` on have constants, no features."""
    weights, accumulator, rate = optimizer.weights.rules, optimizer.accumulator.rules, optimizer.learning_rate
    for use in range(store.used[query], store.used[query + 1]):
        rule = store.rules[use]
        decay = optimizer.weight_decay if rule < chains else optimizer.constant_weight_decay
        applies, forward, back = 0.0, 0.0, 0.0
        for entry in range(store.starts[use], store.starts[use + 1]):
            error = errors[store.places[entry]]
            applies += error
            forward += error * store.features[entry, 0]
            back += error * store.features[entry, 1]
        update(weights, accumulator, rule, 0, applies + decay * weights[rule, 0], rate)
        update(weights, accumulator, rule, 1, forward + decay * weights[rule, 1], rate)
        update(weights, accumulator, rule, 2, back + decay * weights[rule, 2], rate)


@njit_inner
def add_gradients(steps: Steps, entity: int, mask: Mask, error: float, gradients: Array) -> None:
    """Add the gradients of the bias weights for an end of the masked edge."""
    for row in range(steps.node_rows[entity], steps.node_rows[entity + 1]):
        step, kind = steps.row_steps[row], steps.kinds[row]
        log, twice = steps.kind_logs[kind], steps.kind_twice[kind]
        if count_masked(steps, entity, int64(step), mask) > 0:
            count = degree(steps, row, mask)
            if count == 0:
                continue
            log, twice = log_of(1.0 + count), count > 1
        gradients[step, 3] = 1.0
        gradients[step, 0] += error
        gradients[step, 2] += error * log
        if twice:
            gradients[step, 1] += error


@njit_inner
def add_errors(steps: Steps, store: FeatureStore, query: int, mask: Mask, scratch: TrainingScratch) -> None:
    """Add the errors of a query's candidates to those of the batch."""
    begin = store.offered[query]
    for i in range(store.offered[query + 1] - begin):
        entity, error = int64(store.candidates[begin + i]), scratch.scores[i]
        if entity == mask.source or entity == mask.target:  # noqa: PLR1714
            add_gradients(steps, entity, mask, error, scratch.gradients)
            if entity == mask.source:
                scratch.start_gradient[0] += error
        else:
            scratch.errors[scratch.positions[entity]] += error


@njit_inner
def add_kind_gradients(steps: Steps, step: int, scratch: TrainingScratch) -> None:
    """Add the gradients of the bias weights of a step from the errors of its kinds, and reset these."""
    gradients, errors = scratch.gradients, scratch.kind_errors
    for kind in range(steps.first_kinds[step], steps.first_kinds[step + 1]):
        gradients[step, 0] += errors[kind]
        gradients[step, 2] += errors[kind] * steps.kind_logs[kind]
        if steps.kind_twice[kind]:
            gradients[step, 1] += errors[kind]
        errors[kind] = 0.0


@njit_inner
def update_bias(steps: Steps, scratch: TrainingScratch, optimizer: OptimizerState, weight_decay: float) -> None:
    """Update the bias weights with the errors of a batch, and reset these."""
    weights, accumulator, rate = optimizer.weights, optimizer.accumulator, optimizer.learning_rate
    gradients, start = scratch.gradients, scratch.start_gradient
    for position in range(scratch.size[0]):
        entity, error = scratch.entities[position], scratch.errors[position]
        scratch.positions[entity] = -1
        if abs(error) > MIN_ERROR:
            for row in range(steps.node_rows[entity], steps.node_rows[entity + 1]):
                gradients[steps.row_steps[row], 3] = 1.0
                scratch.kind_errors[steps.kinds[row]] += error
    scratch.size[0] = 0
    if start[0] != 0.0:
        accumulator.start[0] += start[0] * start[0]
        weights.start[0] -= rate * start[0] / np.sqrt(accumulator.start[0] + EPSILON)
        start[0] = 0.0
    for step in range(gradients.shape[0]):
        if gradients[step, 3] > 0.0:
            add_kind_gradients(steps, step, scratch)
            for j in range(3):
                gradient = gradients[step, j] + weight_decay * weights.steps[step, j]
                update(weights.steps, accumulator.steps, step, j, gradient, rate)
            for j in range(4):
                gradients[step, j] = 0.0
            set_terms(steps, step, weights, scratch)


@njit_free
def learn(
    steps: Steps,
    store: FeatureStore,
    batch: QueryBatch,
    order: Array,
    optimizer: OptimizerState,
    scratch: TrainingScratch,
    chains: int,
) -> None:
    """Update the weights with queries in a given order.

    Args:
        steps: The graph.
        store: Candidates and features of the queries.
        batch: The queries.
        order: Numbers of the queries to learn from, in order.
        optimizer: Weights and accumulators, updated in place.
        scratch: Scratch arrays.
        chains: Number of rules without constants, which come first.
    """
    scores, weights = scratch.scores, optimizer.weights
    for row_step in range(scratch.gradients.shape[0]):
        set_terms(steps, row_step, weights, scratch)
    for position in range(order.size):
        query = order[position]
        mask = Mask(int64(batch.sources[query]), int64(batch.step), int64(batch.answers[query]))
        size = score(steps, store, query, mask, weights, scratch)
        begin = store.offered[query]
        highest, total = scores[0], 0.0
        for i in range(size):
            highest = max(highest, scores[i])
        for i in range(size):
            scores[i] = exp_of(scores[i] - highest) * store.stands_for[begin + i]
            total += scores[i]
        for i in range(size):
            scores[i] /= total
        scores[0] -= 1.0
        if scores[0] < -MIN_LOSS:
            update_rules(store, query, scores, optimizer, chains)
            add_errors(steps, store, query, mask, scratch)
        if (position + 1) % BATCH == 0 or position + 1 == order.size:
            update_bias(steps, scratch, optimizer, optimizer.weight_decay * BATCH)
