"""Compiled kernels that learn weights: softmax over the candidates of a question, Adagrad.

Scores are sums: four weights for each rule that leads to a candidate (that it does, and its three features), three
for each step that the candidate has (that it has it, has it twice, the logarithm of how often), one for
being the start. The weights of rules move with each question; the others, which most candidates of most questions
share, with each batch of questions, so that what an entity scores by itself is worked out once for a batch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner
from r5._util.kernels.elementary_kernels import exp_of, log_of
from r5.chains.features.feature_kernels import FeatureStore
from r5.chains.graph.step_kernels import Mask, Steps, degree

__all__ = ["TrainingScratch", "Weights", "learn", "property_score"]

Array = NDArray[Any]
BATCH = 4
"""Questions between two moves of the weights of what candidates are by themselves."""
EPSILON = 1e-4
"""What squares of slopes start from. With far less, a weight that only its decay moves would swing further and
further, from nothing but rounding."""
NO_MASK = 1e-6
"""An entity whose errors in a batch sum to less says nothing about what entities are by themselves."""
SURE = 0.002
"""A question whose answer is as sure as that, but for so much, moves nothing."""


class Weights(NamedTuple):
    """Weights, or what belongs to each of them."""

    rules: Array  # [rules, 4]
    steps: Array  # [steps, 3]
    start: Array  # [1]


class TrainingScratch(NamedTuple):
    """Room for learning."""

    scores: Array  # [the most candidates of a question]
    gradients: Array  # [steps, 4]
    places: Array  # [entities], where an entity stands in the batch, -1 for nowhere
    entities: Array  # [entities], those of the batch
    entity_bias: Array  # [entities], what each of them scores by itself
    errors: Array  # [entities]
    sizes: Array  # [1], how many there are
    start: Array  # [1]
    terms: Array  # [kinds], what a row of each kind adds to what its entity scores by itself
    kind_errors: Array  # [kinds]


@njit_inner
def is_masked(steps: Steps, row: int, mask: Mask) -> bool:
    """Whether the hidden edge is one of a row's."""
    if mask.step < 0:
        return False
    node, step = steps.row_nodes[row], steps.row_steps[row]
    forward = node == mask.source and step == mask.step
    return bool(forward or (node == mask.target and step == steps.inverse[mask.step]))


@njit_inner
def property_score(steps: Steps, entity: int, mask: Mask, weights: Weights) -> float:
    """What the steps that an entity has add to its score, whatever the question."""
    total = 0.0
    at_end = entity == mask.source or entity == mask.target  # noqa: PLR1714
    for row in range(steps.node_rows[entity], steps.node_rows[entity + 1]):
        step, kind = steps.row_steps[row], steps.kinds[row]
        log, twice = steps.kind_logs[kind], steps.kind_twice[kind]
        if at_end and is_masked(steps, row, mask):
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
    """Work out what rows of a step add."""
    for kind in range(steps.first_kinds[step], steps.first_kinds[step + 1]):
        term = weights.steps[step, 0] + weights.steps[step, 2] * steps.kind_logs[kind]
        scratch.terms[kind] = term + weights.steps[step, 1] if steps.kind_twice[kind] else term


@njit_inner
def entity_bias(steps: Steps, entity: int, mask: Mask, weights: Weights, scratch: TrainingScratch) -> float:
    """What an entity scores by itself; for those that the hidden edge is no part of, once a batch."""
    if entity == mask.source or entity == mask.target:  # noqa: PLR1714
        return property_score(steps, entity, mask, weights)
    if scratch.places[entity] < 0:
        place = int64(scratch.sizes[0])
        scratch.sizes[0] += 1
        scratch.places[entity] = place
        scratch.entities[place] = entity
        scratch.errors[place] = 0.0
        total = 0.0
        for row in range(steps.node_rows[entity], steps.node_rows[entity + 1]):
            total += scratch.terms[steps.kinds[row]]
        scratch.entity_bias[place] = total
    return float(scratch.entity_bias[scratch.places[entity]])


@njit_inner
def score(
    steps: Steps,
    store: FeatureStore,
    query: int,
    mask: Mask,
    weights: Weights,
    scratch: TrainingScratch,
    chains: int,
) -> int:
    """Score the candidates of a question; how many there are.

    Rules after the chains are those with constants: they have no features but that they hold.
    """
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
        if rule >= chains:
            for entry in range(store.starts[use], store.starts[use + 1]):
                scores[store.places[entry]] += weights.rules[rule, 0]
            continue
        applies, forward = weights.rules[rule, 0], weights.rules[rule, 1]
        groundings, back = weights.rules[rule, 2], weights.rules[rule, 3]
        for entry in range(store.starts[use], store.starts[use + 1]):
            scores[store.places[entry]] += (
                applies
                + forward * store.features[entry, 0]
                + groundings * store.features[entry, 1]
                + back * store.features[entry, 2]
            )
    return size


@njit_inner
def move(weights: Array, accumulator: Array, i: int, j: int, slope: float, step: float) -> None:
    """One step of Adagrad against a slope."""
    accumulator[i, j] += slope * slope
    weights[i, j] -= step * slope / np.sqrt(accumulator[i, j] + EPSILON)


@njit_inner
def move_rules(
    store: FeatureStore,
    query: int,
    errors: Array,
    weights: Weights,
    accumulator: Weights,
    learning_rate: float,
    weight_decay: float,
    chains: int,
    constant_weight_decay: float,
) -> None:
    """Move the weights of the rules that a question used."""
    for use in range(store.used[query], store.used[query + 1]):
        rule = store.rules[use]
        applies, forward, groundings, back = 0.0, 0.0, 0.0, 0.0
        if rule >= chains:  # these are many and of few facts each
            for entry in range(store.starts[use], store.starts[use + 1]):
                applies += errors[store.places[entry]]
            move(
                weights.rules,
                accumulator.rules,
                rule,
                0,
                applies + constant_weight_decay * weights.rules[rule, 0],
                learning_rate,
            )
            continue
        for entry in range(store.starts[use], store.starts[use + 1]):
            error = errors[store.places[entry]]
            applies += error
            forward += error * store.features[entry, 0]
            groundings += error * store.features[entry, 1]
            back += error * store.features[entry, 2]
        move(weights.rules, accumulator.rules, rule, 0, applies + weight_decay * weights.rules[rule, 0], learning_rate)
        move(weights.rules, accumulator.rules, rule, 1, forward + weight_decay * weights.rules[rule, 1], learning_rate)
        move(
            weights.rules, accumulator.rules, rule, 2, groundings + weight_decay * weights.rules[rule, 2], learning_rate
        )
        move(weights.rules, accumulator.rules, rule, 3, back + weight_decay * weights.rules[rule, 3], learning_rate)


@njit_inner
def add_slopes(steps: Steps, entity: int, mask: Mask, error: float, gradients: Array) -> None:
    """Add what the error of an end of the hidden edge says about the steps it has; column 3 marks those touched."""
    for row in range(steps.node_rows[entity], steps.node_rows[entity + 1]):
        step, kind = steps.row_steps[row], steps.kinds[row]
        log, twice = steps.kind_logs[kind], steps.kind_twice[kind]
        if is_masked(steps, row, mask):
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
    """Keep the errors of a question's candidates until the weights of what they are by themselves move."""
    begin = store.offered[query]
    for i in range(store.offered[query + 1] - begin):
        entity, error = int64(store.candidates[begin + i]), scratch.scores[i]
        if entity == mask.source or entity == mask.target:  # noqa: PLR1714
            add_slopes(steps, entity, mask, error, scratch.gradients)
            if entity == mask.source:
                scratch.start[0] += error
        else:
            scratch.errors[scratch.places[entity]] += error


@njit_inner
def add_by_kind(steps: Steps, step: int, scratch: TrainingScratch) -> None:
    """Add what the errors of kinds say about a step."""
    gradients, errors = scratch.gradients, scratch.kind_errors
    for kind in range(steps.first_kinds[step], steps.first_kinds[step + 1]):
        gradients[step, 0] += errors[kind]
        gradients[step, 2] += errors[kind] * steps.kind_logs[kind]
        if steps.kind_twice[kind]:
            gradients[step, 1] += errors[kind]
        errors[kind] = 0.0


@njit_inner
def move_properties(
    steps: Steps,
    scratch: TrainingScratch,
    weights: Weights,
    accumulator: Weights,
    learning_rate: float,
    weight_decay: float,
) -> None:
    """Move the weights of what the candidates of a batch are by themselves."""
    gradients = scratch.gradients
    for place in range(scratch.sizes[0]):
        entity, error = scratch.entities[place], scratch.errors[place]
        scratch.places[entity] = -1
        if abs(error) > NO_MASK:
            for row in range(steps.node_rows[entity], steps.node_rows[entity + 1]):
                gradients[steps.row_steps[row], 3] = 1.0
                scratch.kind_errors[steps.kinds[row]] += error
    scratch.sizes[0] = 0
    if scratch.start[0] != 0.0:
        accumulator.start[0] += scratch.start[0] * scratch.start[0]
        weights.start[0] -= learning_rate * scratch.start[0] / np.sqrt(accumulator.start[0] + EPSILON)
        scratch.start[0] = 0.0
    for step in range(gradients.shape[0]):
        if gradients[step, 3] > 0.0:
            add_by_kind(steps, step, scratch)
            for j in range(3):
                move(
                    weights.steps,
                    accumulator.steps,
                    step,
                    j,
                    gradients[step, j] + weight_decay * weights.steps[step, j],
                    learning_rate,
                )
            for j in range(4):
                gradients[step, j] = 0.0
            set_terms(steps, step, weights, scratch)


@njit_free
def learn(
    steps: Steps,
    store: FeatureStore,
    sources: Array,
    step: int,
    answers: Array,
    order: Array,
    weights: Weights,
    accumulator: Weights,
    learning_rate: float,
    bias_learning_rate: float,
    weight_decay: float,
    scratch: TrainingScratch,
    chains: int,
    constant_weight_decay: float,
) -> None:
    """Learn from the questions in this order; `bias_learning_rate` is for what candidates are by themselves."""
    scores = scratch.scores
    for one in range(scratch.gradients.shape[0]):
        set_terms(steps, one, weights, scratch)
    for place in range(order.size):
        query = order[place]
        mask = Mask(int64(sources[query]), int64(step), int64(answers[query]))
        size = score(steps, store, query, mask, weights, scratch, chains)
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
        if scores[0] < -SURE:
            move_rules(
                store, query, scores, weights, accumulator, learning_rate, weight_decay, chains, constant_weight_decay
            )
            add_errors(steps, store, query, mask, scratch)
        if (place + 1) % BATCH == 0 or place + 1 == order.size:
            move_properties(steps, scratch, weights, accumulator, bias_learning_rate, weight_decay * BATCH)
