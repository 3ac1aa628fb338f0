"""Compiled kernels that learn weights: softmax over the candidates of a question, Adagrad a question.

Scores are sums: four weights for each rule that leads to a candidate (that it does, and its three features), three
for each step that the candidate has (that it has it, has it twice, the logarithm of how often), one for
being the start.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels import int64, njit_free, njit_inner
from r5.chains.feature_kernels import Store
from r5.chains.step_kernels import Hidden, Steps, degree

__all__ = ["Weights", "learn", "property_score"]

Array = NDArray[Any]


class Weights(NamedTuple):
    """Weights, or what belongs to each of them."""

    rules: Array  # [rules, 4]
    steps: Array  # [steps, 3]
    start: Array  # [1]


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
        step = steps.row_steps[row]
        log, twice = steps.logs[row], steps.row_offsets[row + 1] - steps.row_offsets[row] > 1
        if at_end and is_hidden(steps, row, hidden):
            count = degree(steps, row, hidden)
            if count == 0:
                continue
            log, twice = np.log1p(float(count)), count > 1
        total += weights.steps[step, 0] + weights.steps[step, 2] * log
        if twice:
            total += weights.steps[step, 1]
    return total


@njit_inner
def score(steps: Steps, store: Store, question: int, hidden: Hidden, weights: Weights, scores: Array) -> int:
    """Score the candidates of a question; how many there are."""
    begin = store.offered[question]
    size = int64(store.offered[question + 1] - begin)
    for i in range(size):
        entity = int64(store.candidates[begin + i])
        scores[i] = property_score(steps, entity, hidden, weights)
        if entity == hidden.source:
            scores[i] += weights.start[0]
    for use in range(store.used[question], store.used[question + 1]):
        rule = store.rules[use]
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
    weights[i, j] -= step * slope / np.sqrt(squares[i, j] + 1e-8)


@njit_inner
def move_rules(
    store: Store, question: int, errors: Array, weights: Weights, squares: Weights, pace: float, decay: float
) -> None:
    """Move the weights of the rules that a question used."""
    for use in range(store.used[question], store.used[question + 1]):
        rule = store.rules[use]
        fires, ahead, ways, back = 0.0, 0.0, 0.0, 0.0
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
    """Add what one candidate's error says about the steps that it has; column 3 marks steps that were touched."""
    at_end = entity == hidden.source or entity == hidden.target  # noqa: PLR1714
    for row in range(steps.node_rows[entity], steps.node_rows[entity + 1]):
        step = steps.row_steps[row]
        log, twice = steps.logs[row], steps.row_offsets[row + 1] - steps.row_offsets[row] > 1
        if at_end and is_hidden(steps, row, hidden):
            count = degree(steps, row, hidden)
            if count == 0:
                continue
            log, twice = np.log1p(float(count)), count > 1
        slopes[step, 3] = 1.0
        slopes[step, 0] += error
        slopes[step, 2] += error * log
        if twice:
            slopes[step, 1] += error


@njit_inner
def move_properties(
    steps: Steps, store: Store, question: int, hidden: Hidden, errors: Array, slopes: Array,
    weights: Weights, squares: Weights, pace: float, decay: float,
) -> None:  # fmt: skip
    """Move the weights of what the candidates are by themselves."""
    begin = store.offered[question]
    for i in range(store.offered[question + 1] - begin):
        entity, error = int64(store.candidates[begin + i]), errors[i]
        if abs(error) > 1e-9:
            add_slopes(steps, entity, hidden, error, slopes)
        if entity == hidden.source:
            squares.start[0] += error * error
            weights.start[0] -= pace * error / np.sqrt(squares.start[0] + 1e-8)
    for step in range(slopes.shape[0]):
        if slopes[step, 3] > 0.0:
            for j in range(3):
                move(weights.steps, squares.steps, step, j, slopes[step, j] + decay * weights.steps[step, j], pace)
            for j in range(4):
                slopes[step, j] = 0.0


@njit_free
def learn(
    steps: Steps, store: Store, sources: Array, step: int, answers: Array, order: Array, weights: Weights,
    squares: Weights, pace: float, decay: float, scores: Array, slopes: Array,
) -> None:  # fmt: skip
    """Learn from the questions in this order."""
    for place in range(order.size):
        question = order[place]
        hidden = Hidden(int64(sources[question]), int64(step), int64(answers[question]))
        size = score(steps, store, question, hidden, weights, scores)
        begin = store.offered[question]
        highest, total = scores[0], 0.0
        for i in range(size):
            highest = max(highest, scores[i])
        for i in range(size):
            scores[i] = np.exp(scores[i] - highest) * store.stands_for[begin + i]
            total += scores[i]
        for i in range(size):
            scores[i] /= total
        scores[0] -= 1.0
        move_rules(store, question, scores, weights, squares, pace, decay)
        move_properties(steps, store, question, hidden, scores, slopes, weights, squares, pace, decay)
