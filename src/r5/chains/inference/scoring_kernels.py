"""Compiled kernels that score every entity as the answer to a query, and rank correct answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner
from r5.chains.features.constant_kernels import Constants, follow_constants
from r5.chains.features.walk_kernels import Reached, Walker, follow
from r5.chains.graph.step_kernels import Mask, Steps, Trie
from r5.chains.training.weight_kernels import Weights, property_score
from r5.chains.tuning.exclusion_kernels import GRID

__all__ = ["GRID", "entity_biases", "rank_answers", "reach", "score_all"]

Array = NDArray[Any]


@njit_free
def entity_biases(steps: Steps, weights: Weights, scores: Array) -> None:
    """Compute the bias of each entity, [entities]."""
    no_mask = Mask(int64(-1), int64(-1), int64(-1))
    for entity in range(scores.size):
        scores[entity] = property_score(steps, int64(entity), no_mask, weights)


@njit_inner
def add_rules(reached: Reached, rules: int, weights: Weights, scores: Array) -> None:
    """Add the weighted features of the rules to the scores of the entities that they reach."""
    for use in range(rules):
        rule = reached.rules[use]
        applies, forward = weights.rules[rule, 0], weights.rules[rule, 1]
        groundings, back = weights.rules[rule, 2], weights.rules[rule, 3]
        for entry in range(reached.starts[use], reached.starts[use + 1]):
            scores[reached.entities[entry]] += (
                applies
                + forward * reached.features[entry, 0]
                + groundings * reached.features[entry, 1]
                + back * reached.features[entry, 2]
            )


@njit_inner
def reach_all(
    steps: Steps,
    trie: Trie,
    constants: Constants,
    source: int,
    mask: Mask,
    frontier: int,
    walker: Walker,
    reached: Reached,
) -> int:
    """Find the entities that each rule reaches, chains first; returns the number of rules."""
    rules = follow(steps, trie, source, mask, frontier, walker, reached, int64(0), False)
    return follow_constants(steps, constants, source, mask, frontier, reached, rules)


@njit_free
def score_all(
    steps: Steps,
    trie: Trie,
    constants: Constants,
    source: int,
    mask: Mask,
    frontier: int,
    weights: Weights,
    entity_bias: Array,
    walker: Walker,
    reached: Reached,
    scores: Array,
) -> int:
    """Score every entity; `entity_bias` is what each scores by itself. Returns how many rules were used."""
    rules = reach_all(steps, trie, constants, int64(source), mask, frontier, walker, reached)
    for entity in range(scores.size):
        scores[entity] = entity_bias[entity]
    scores[source] += weights.start[0]
    if mask.step >= 0:
        scores[mask.target] += property_score(steps, mask.target, mask, weights) - entity_bias[mask.target]
        if mask.source != mask.target:
            scores[mask.source] += property_score(steps, mask.source, mask, weights) - entity_bias[mask.source]
    add_rules(reached, rules, weights, scores)
    return rules


@njit_free
def reach(
    steps: Steps,
    trie: Trie,
    constants: Constants,
    source: int,
    mask: Mask,
    frontier: int,
    walker: Walker,
    reached: Reached,
) -> int:
    """Find the entities that each rule reaches; returns the number of rules."""
    return reach_all(steps, trie, constants, int64(source), mask, frontier, walker, reached)


@njit_free
def rank_answers(
    steps: Steps,
    trie: Trie,
    constants: Constants,
    sources: Array,
    answers: Array,
    offsets: Array,
    filtered: Array,
    frontier: int,
    weights: Weights,
    entity_bias: Array,
    walker: Walker,
    reached: Reached,
    scores: Array,
    marks: Array,
    better: Array,
    equal: Array,
) -> None:
    """For each question how many candidates score higher than the answer, and how many the same.

    `filtered[offsets[q]:offsets[q + 1]]` are the known answers of question q, which are no candidates.
    """
    nothing = Mask(int64(-1), int64(-1), int64(-1))
    for query in range(sources.size):
        source, answer = sources[query], answers[query]
        rules = reach_all(steps, trie, constants, int64(source), nothing, frontier, walker, reached)
        for entity in range(scores.size):
            scores[entity] = entity_bias[entity]
        scores[source] += weights.start[0]
        add_rules(reached, rules, weights, scores)
        for i in range(offsets[query], offsets[query + 1]):
            marks[filtered[i]] = True
        mark = np.rint(scores[answer] * GRID)
        above, same = int64(0), int64(0)
        for entity in range(scores.size):
            if entity != answer and not marks[entity]:
                value = np.rint(scores[entity] * GRID)
                above += value > mark
                same += value == mark
        better[query], equal[query] = above, same
        for i in range(offsets[query], offsets[query + 1]):
            marks[filtered[i]] = False
