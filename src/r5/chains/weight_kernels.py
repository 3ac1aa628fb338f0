"""Compiled kernels that learn weights: softmax over the candidates of a question, Adagrad a question.

Scores are sums: four weights for each rule that leads to a candidate (that it does, and its three features), three
for each step that the candidate has (that it has it, has it twice, the logarithm of how often), one for
being the start.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels import int64, njit_entry, njit_private
from r5.chains.feature_kernels import Store
from r5.chains.step_kernels import Hidden, Steps, degree

__all__ = ["Weights", "held_out", "learn", "property_score"]

Array = NDArray[Any]


class Weights(NamedTuple):
    """Weights, or what belongs to each of them."""

    rules: Array  # [rules, 4]
    steps: Array  # [steps, 3]
    start: Array  # [1]


@njit_private
def property_score(steps: Steps, entity: int, hidden: Hidden, weights: Weights) -> float:
    """What the steps that an entity has add to its score, whatever the question."""
    total = 0.0
    for row in range(steps.node_rows[entity], steps.node_rows[entity + 1]):
        count = degree(steps, row, hidden)
        if count > 0:
            step = steps.row_steps[row]
            total += weights.steps[step, 0] + weights.steps[step, 2] * np.log1p(float(count))
            if count > 1:
                total += weights.steps[step, 1]
    return total


@njit_private
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
        fires, ahead, ways, back = (
            weights.rules[rule, 0], weights.rules[rule, 1], weights.rules[rule, 2], weights.rules[rule, 3],
        )  # fmt: skip
        for entry in range(store.starts[use], store.starts[use + 1]):
            features = store.features[entry]
            scores[store.places[entry]] += fires + ahead * features[0] + ways * features[1] + back * features[2]
    return size


@njit_private
def move(weights: Array, squares: Array, i: int, j: int, slope: float, step: float) -> None:
    """One step of Adagrad against a slope."""
    squares[i, j] += slope * slope
    weights[i, j] -= step * slope / np.sqrt(squares[i, j] + 1e-8)


@njit_private
def move_rules(
    store: Store, question: int, errors: Array, weights: Weights, squares: Weights, pace: float, decay: float
) -> None:
    """Move the weights of the rules that a question used."""
    for use in range(store.used[question], store.used[question + 1]):
        rule = store.rules[use]
        fires, ahead, ways, back = 0.0, 0.0, 0.0, 0.0
        for entry in range(store.starts[use], store.starts[use + 1]):
            error, features = errors[store.places[entry]], store.features[entry]
            fires += error
            ahead += error * features[0]
            ways += error * features[1]
            back += error * features[2]
        move(weights.rules, squares.rules, rule, 0, fires + decay * weights.rules[rule, 0], pace)
        move(weights.rules, squares.rules, rule, 1, ahead + decay * weights.rules[rule, 1], pace)
        move(weights.rules, squares.rules, rule, 2, ways + decay * weights.rules[rule, 2], pace)
        move(weights.rules, squares.rules, rule, 3, back + decay * weights.rules[rule, 3], pace)


@njit_private
def move_properties(
    steps: Steps, store: Store, question: int, hidden: Hidden, errors: Array, slopes: Array, touched: Array,
    weights: Weights, squares: Weights, pace: float, decay: float,
) -> None:  # fmt: skip
    """Move the weights of what the candidates are by themselves."""
    begin, listed = store.offered[question], 0
    for i in range(store.offered[question + 1] - begin):
        entity, error = int64(store.candidates[begin + i]), errors[i]
        for row in range(steps.node_rows[entity], steps.node_rows[entity + 1]):
            count, step = degree(steps, row, hidden), steps.row_steps[row]
            if count > 0:
                if slopes[step, 3] == 0.0:
                    slopes[step, 3] = 1.0
                    touched[listed] = step
                    listed += 1
                slopes[step, 0] += error
                slopes[step, 2] += error * np.log1p(float(count))
                if count > 1:
                    slopes[step, 1] += error
        if entity == hidden.source:
            squares.start[0] += error * error
            weights.start[0] -= pace * error / np.sqrt(squares.start[0] + 1e-8)
    for i in range(listed):
        step = touched[i]
        for j in range(3):
            move(weights.steps, squares.steps, step, j, slopes[step, j] + decay * weights.steps[step, j], pace)
        for j in range(4):
            slopes[step, j] = 0.0


@njit_entry
def learn(
    steps: Steps, store: Store, sources: Array, step: int, answers: Array, order: Array, weights: Weights,
    squares: Weights, pace: float, decay: float, scores: Array, slopes: Array, touched: Array,
) -> None:  # fmt: skip
    """Learn from the questions in this order."""
    for question in order:
        hidden = Hidden(int64(sources[question]), int64(step), int64(answers[question]))
        size = score(steps, store, question, hidden, weights, scores)
        errors, begin = scores[:size], store.offered[question]
        highest, total = errors.max(), 0.0
        for i in range(size):
            errors[i] = np.exp(errors[i] - highest) * store.stands_for[begin + i]
            total += errors[i]
        for i in range(size):
            errors[i] /= total
        errors[0] -= 1.0
        move_rules(store, question, errors, weights, squares, pace, decay)
        move_properties(
            steps, store, question, hidden, errors, slopes, touched, weights, squares, pace, decay
        )  # fmt: skip


@njit_entry
def held_out(
    steps: Steps, store: Store, sources: Array, step: int, answers: Array, order: Array, weights: Weights,
    heats: Array, likelihoods: Array, scores: Array,
) -> None:  # fmt: skip
    """Add the log likelihood of the answers to some questions, the scores divided by each of several temperatures."""
    for question in order:
        hidden = Hidden(int64(sources[question]), int64(step), int64(answers[question]))
        size = score(steps, store, question, hidden, weights, scores)
        begin, highest = store.offered[question], scores[:size].max()
        for j in range(heats.size):
            total = 0.0
            for i in range(size):
                total += np.exp((scores[i] - highest) / heats[j]) * store.stands_for[begin + i]
            likelihoods[j] += (scores[0] - highest) / heats[j] - np.log(total)
