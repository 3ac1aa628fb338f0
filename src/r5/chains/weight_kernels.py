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
from r5.chains.feature_kernels import Store
from r5.chains.step_kernels import Hidden, Steps, degree

__all__ = ["Desk", "Weights", "learn", "property_score"]

Array = NDArray[Any]
BATCH = 4
"""Questions between two moves of the weights of what candidates are by themselves."""
CALM = 1e-4
"""What squares of slopes start from. With far less, a weight that only its decay moves would swing further and
further, from nothing but rounding."""
NOTHING = 1e-6
"""An entity whose errors in a batch sum to less says nothing about what entities are by themselves."""
SURE = 0.002
"""A question whose answer is as sure as that, but for so much, moves nothing."""


class Weights(NamedTuple):
    """Weights, or what belongs to each of them."""

    rules: Array  # [rules, 4]
    steps: Array  # [steps, 3]
    start: Array  # [1]


class Desk(NamedTuple):
    """Room for learning."""

    scores: Array  # [the most candidates of a question]
    slopes: Array  # [steps, 4]
    places: Array  # [entities], where an entity stands in the batch, -1 for nowhere
    entities: Array  # [entities], those of the batch
    alone: Array  # [entities], what each of them scores by itself
    errors: Array  # [entities]
    sizes: Array  # [1], how many there are
    start: Array  # [1]
    terms: Array  # [kinds], what a row of each kind adds to what its entity scores by itself
    kind_errors: Array  # [kinds]


@njit_inner
def is_hidden(steps: Steps, row: int, hidden: Hidden) -> bool:
    """Whether the hidden edge is one of a row's."""
    if hidden.step < 0:
        return False
    node, step = steps.row_nodes[row], steps.row_steps[row]
    ahead = node == hidden.source and step == hidden.step
    return bool(ahead or (node == hidden.target and step == steps.inverse[hidden.step]))


@njit_inner
def property_score(steps: Steps, entity: int, hidden: Hidden, weights: Weights) -> float:
    """What the steps that an entity has add to its score, whatever the question."""
    total = 0.0
    at_end = entity == hidden.source or entity == hidden.target  # noqa: PLR1714
    for row in range(steps.node_rows[entity], steps.node_rows[entity + 1]):
        step, kind = steps.row_steps[row], steps.kinds[row]
        log, twice = steps.kind_logs[kind], steps.kind_twice[kind]
        if at_end and is_hidden(steps, row, hidden):
            count = degree(steps, row, hidden)
            if count == 0:
                continue
            log, twice = log_of(1.0 + count), count > 1
        total += weights.steps[step, 0] + weights.steps[step, 2] * log
        if twice:
            total += weights.steps[step, 1]
    return total


@njit_inner
def set_terms(steps: Steps, step: int, weights: Weights, desk: Desk) -> None:
    """Work out what rows of a step add."""
    for kind in range(steps.first_kinds[step], steps.first_kinds[step + 1]):
        term = weights.steps[step, 0] + weights.steps[step, 2] * steps.kind_logs[kind]
        desk.terms[kind] = term + weights.steps[step, 1] if steps.kind_twice[kind] else term


@njit_inner
def alone(steps: Steps, entity: int, hidden: Hidden, weights: Weights, desk: Desk) -> float:
    """What an entity scores by itself; for those that the hidden edge is no part of, once a batch."""
    if entity == hidden.source or entity == hidden.target:  # noqa: PLR1714
        return property_score(steps, entity, hidden, weights)
    if desk.places[entity] < 0:
        place = int64(desk.sizes[0])
        desk.sizes[0] += 1
        desk.places[entity] = place
        desk.entities[place] = entity
        desk.errors[place] = 0.0
        total = 0.0
        for row in range(steps.node_rows[entity], steps.node_rows[entity + 1]):
            total += desk.terms[steps.kinds[row]]
        desk.alone[place] = total
    return float(desk.alone[desk.places[entity]])


@njit_inner
def score(
    steps: Steps, store: Store, question: int, hidden: Hidden, weights: Weights, desk: Desk, chains: int
) -> int:  # fmt: skip
    """Score the candidates of a question; how many there are.

    Rules after the chains are those with constants: they have no features but that they hold.
    """
    begin = store.offered[question]
    size = int64(store.offered[question + 1] - begin)
    scores = desk.scores
    for i in range(size):
        entity = int64(store.candidates[begin + i])
        scores[i] = alone(steps, entity, hidden, weights, desk)
        if entity == hidden.source:
            scores[i] += weights.start[0]
    for use in range(store.used[question], store.used[question + 1]):
        rule = store.rules[use]
        if rule >= chains:
            for entry in range(store.starts[use], store.starts[use + 1]):
                scores[store.places[entry]] += weights.rules[rule, 0]
            continue
        fires, ahead = weights.rules[rule, 0], weights.rules[rule, 1]
        ways, back = weights.rules[rule, 2], weights.rules[rule, 3]
        for entry in range(store.starts[use], store.starts[use + 1]):
            scores[store.places[entry]] += (
                fires
                + ahead * store.features[entry, 0]
                + ways * store.features[entry, 1]
                + back * store.features[entry, 2]
            )
    return size


@njit_inner
def move(weights: Array, squares: Array, i: int, j: int, slope: float, step: float) -> None:
    """One step of Adagrad against a slope."""
    squares[i, j] += slope * slope
    weights[i, j] -= step * slope / np.sqrt(squares[i, j] + CALM)


@njit_inner
def move_rules(
    store: Store, question: int, errors: Array, weights: Weights, squares: Weights, pace: float, decay: float,
    chains: int, constant_decay: float,
) -> None:  # fmt: skip
    """Move the weights of the rules that a question used."""
    for use in range(store.used[question], store.used[question + 1]):
        rule = store.rules[use]
        fires, ahead, ways, back = 0.0, 0.0, 0.0, 0.0
        if rule >= chains:  # these are many and of few facts each
            for entry in range(store.starts[use], store.starts[use + 1]):
                fires += errors[store.places[entry]]
            move(weights.rules, squares.rules, rule, 0, fires + constant_decay * weights.rules[rule, 0], pace)
            continue
        for entry in range(store.starts[use], store.starts[use + 1]):
            error = errors[store.places[entry]]
            fires += error
            ahead += error * store.features[entry, 0]
            ways += error * store.features[entry, 1]
            back += error * store.features[entry, 2]
        move(weights.rules, squares.rules, rule, 0, fires + decay * weights.rules[rule, 0], pace)
        move(weights.rules, squares.rules, rule, 1, ahead + decay * weights.rules[rule, 1], pace)
        move(weights.rules, squares.rules, rule, 2, ways + decay * weights.rules[rule, 2], pace)
        move(weights.rules, squares.rules, rule, 3, back + decay * weights.rules[rule, 3], pace)


@njit_inner
def add_slopes(steps: Steps, entity: int, hidden: Hidden, error: float, slopes: Array) -> None:
    """Add what the error of an end of the hidden edge says about the steps it has; column 3 marks those touched."""
    for row in range(steps.node_rows[entity], steps.node_rows[entity + 1]):
        step, kind = steps.row_steps[row], steps.kinds[row]
        log, twice = steps.kind_logs[kind], steps.kind_twice[kind]
        if is_hidden(steps, row, hidden):
            count = degree(steps, row, hidden)
            if count == 0:
                continue
            log, twice = log_of(1.0 + count), count > 1
        slopes[step, 3] = 1.0
        slopes[step, 0] += error
        slopes[step, 2] += error * log
        if twice:
            slopes[step, 1] += error


@njit_inner
def add_errors(steps: Steps, store: Store, question: int, hidden: Hidden, desk: Desk) -> None:
    """Keep the errors of a question's candidates until the weights of what they are by themselves move."""
    begin = store.offered[question]
    for i in range(store.offered[question + 1] - begin):
        entity, error = int64(store.candidates[begin + i]), desk.scores[i]
        if entity == hidden.source or entity == hidden.target:  # noqa: PLR1714
            add_slopes(steps, entity, hidden, error, desk.slopes)
            if entity == hidden.source:
                desk.start[0] += error
        else:
            desk.errors[desk.places[entity]] += error


@njit_inner
def add_by_kind(steps: Steps, step: int, desk: Desk) -> None:
    """Add what the errors of kinds say about a step."""
    slopes, errors = desk.slopes, desk.kind_errors
    for kind in range(steps.first_kinds[step], steps.first_kinds[step + 1]):
        slopes[step, 0] += errors[kind]
        slopes[step, 2] += errors[kind] * steps.kind_logs[kind]
        if steps.kind_twice[kind]:
            slopes[step, 1] += errors[kind]
        errors[kind] = 0.0


@njit_inner
def move_properties(steps: Steps, desk: Desk, weights: Weights, squares: Weights, pace: float, decay: float) -> None:
    """Move the weights of what the candidates of a batch are by themselves."""
    slopes = desk.slopes
    for place in range(desk.sizes[0]):
        entity, error = desk.entities[place], desk.errors[place]
        desk.places[entity] = -1
        if abs(error) > NOTHING:
            for row in range(steps.node_rows[entity], steps.node_rows[entity + 1]):
                slopes[steps.row_steps[row], 3] = 1.0
                desk.kind_errors[steps.kinds[row]] += error
    desk.sizes[0] = 0
    if desk.start[0] != 0.0:
        squares.start[0] += desk.start[0] * desk.start[0]
        weights.start[0] -= pace * desk.start[0] / np.sqrt(squares.start[0] + CALM)
        desk.start[0] = 0.0
    for step in range(slopes.shape[0]):
        if slopes[step, 3] > 0.0:
            add_by_kind(steps, step, desk)
            for j in range(3):
                move(weights.steps, squares.steps, step, j, slopes[step, j] + decay * weights.steps[step, j], pace)
            for j in range(4):
                slopes[step, j] = 0.0
            set_terms(steps, step, weights, desk)


@njit_free
def learn(
    steps: Steps, store: Store, sources: Array, step: int, answers: Array, order: Array, weights: Weights,
    squares: Weights, pace: float, own_pace: float, decay: float, desk: Desk, chains: int, constant_decay: float,
) -> None:  # fmt: skip
    """Learn from the questions in this order; `own_pace` is for what candidates are by themselves."""
    scores = desk.scores
    for one in range(desk.slopes.shape[0]):
        set_terms(steps, one, weights, desk)
    for place in range(order.size):
        question = order[place]
        hidden = Hidden(int64(sources[question]), int64(step), int64(answers[question]))
        size = score(steps, store, question, hidden, weights, desk, chains)
        begin = store.offered[question]
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
            move_rules(store, question, scores, weights, squares, pace, decay, chains, constant_decay)
            add_errors(steps, store, question, hidden, desk)
        if (place + 1) % BATCH == 0 or place + 1 == order.size:
            move_properties(steps, desk, weights, squares, own_pace, decay * BATCH)
