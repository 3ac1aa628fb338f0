"""Compiled kernels that score every entity as the answer to a question."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner
from r5.chains.constant_kernels import Constants, lead
from r5.chains.rival_kernels import GRID
from r5.chains.step_kernels import Hidden, Steps, Trie
from r5.chains.walk_kernels import Reached, Walker, follow
from r5.chains.weight_kernels import Weights, property_score

__all__ = ["GRID", "places", "properties", "reach", "score_all"]

Array = NDArray[Any]


@njit_free
def properties(steps: Steps, weights: Weights, scores: Array) -> None:
    """What each entity scores by itself."""
    nothing = Hidden(int64(-1), int64(-1), int64(-1))
    for entity in range(scores.size):
        scores[entity] = property_score(steps, int64(entity), nothing, weights)


@njit_inner
def add_rules(reached: Reached, rules: int, weights: Weights, scores: Array) -> None:
    """Add what the rules say."""
    for use in range(rules):
        rule = reached.rules[use]
        fires, ahead = weights.rules[rule, 0], weights.rules[rule, 1]
        ways, back = weights.rules[rule, 2], weights.rules[rule, 3]
        for entry in range(reached.starts[use], reached.starts[use + 1]):
            scores[reached.entities[entry]] += (
                fires
                + ahead * reached.features[entry, 0]
                + ways * reached.features[entry, 1]
                + back * reached.features[entry, 2]
            )


@njit_inner
def reach_all(
    steps: Steps, trie: Trie, constants: Constants, source: int, hidden: Hidden, frontier: int, walker: Walker,
    reached: Reached,
) -> int:  # fmt: skip
    """What each rule leads to, chains first; the number of rules."""
    rules = follow(steps, trie, source, hidden, frontier, walker, reached, int64(0), False)
    return lead(steps, constants, source, hidden, frontier, reached, rules)


@njit_free
def score_all(
    steps: Steps, trie: Trie, constants: Constants, source: int, hidden: Hidden, frontier: int, weights: Weights,
    alone: Array, walker: Walker, reached: Reached, scores: Array,
) -> int:  # fmt: skip
    """Score every entity; `alone` is what each scores by itself. Returns how many rules were used."""
    rules = reach_all(steps, trie, constants, int64(source), hidden, frontier, walker, reached)
    for entity in range(scores.size):
        scores[entity] = alone[entity]
    scores[source] += weights.start[0]
    if hidden.step >= 0:
        scores[hidden.target] += property_score(steps, hidden.target, hidden, weights) - alone[hidden.target]
        if hidden.source != hidden.target:
            scores[hidden.source] += property_score(steps, hidden.source, hidden, weights) - alone[hidden.source]
    add_rules(reached, rules, weights, scores)
    return rules


@njit_free
def reach(
    steps: Steps, trie: Trie, constants: Constants, source: int, hidden: Hidden, frontier: int, walker: Walker,
    reached: Reached,
) -> int:  # fmt: skip
    """What each rule leads to; the number of rules."""
    return reach_all(steps, trie, constants, int64(source), hidden, frontier, walker, reached)


@njit_free
def places(
    steps: Steps, trie: Trie, constants: Constants, sources: Array, answers: Array, offsets: Array, filtered: Array,
    frontier: int, weights: Weights, alone: Array, walker: Walker, reached: Reached, scores: Array, marks: Array,
    better: Array, equal: Array,
) -> None:  # fmt: skip
    """For each question how many candidates score higher than the answer, and how many the same.

    `filtered[offsets[q]:offsets[q + 1]]` are the known answers of question q, which are no candidates.
    """
    nothing = Hidden(int64(-1), int64(-1), int64(-1))
    for question in range(sources.size):
        source, answer = sources[question], answers[question]
        rules = reach_all(steps, trie, constants, int64(source), nothing, frontier, walker, reached)
        for entity in range(scores.size):
            scores[entity] = alone[entity]
        scores[source] += weights.start[0]
        add_rules(reached, rules, weights, scores)
        for i in range(offsets[question], offsets[question + 1]):
            marks[filtered[i]] = True
        mark = np.rint(scores[answer] * GRID)
        above, same = int64(0), int64(0)
        for entity in range(scores.size):
            if entity != answer and not marks[entity]:
                value = np.rint(scores[entity] * GRID)
                above += value > mark
                same += value == mark
        better[question], equal[question] = above, same
        for i in range(offsets[question], offsets[question + 1]):
            marks[filtered[i]] = False
