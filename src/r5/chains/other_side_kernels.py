"""Compiled kernels that ask candidates: how much of what an entity may be the answer to is left for each question."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from r5._util.elementary_kernels import exp_of, log_of
from r5._util.kernels import int64, njit_free
from r5.chains.answer_kernels import add_rules, reach_all
from r5.chains.constant_kernels import Constants
from r5.chains.step_kernels import Hidden, Steps, Trie
from r5.chains.walk_kernels import Reached, Walker
from r5.chains.weight_kernels import Weights

__all__ = ["left_for_each"]

Array = NDArray[Any]


@njit_free
def left_for_each(
    steps: Steps, trie: Trie, constants: Constants, entities: Array, counts: Array, frontier: int, weights: Weights,
    alone: Array, walker: Walker, reached: Reached, scores: Array, found: Array,
) -> None:  # fmt: skip
    """For each entity log(1 + its known answers) - log(sum of exp(score)) over all answers that it may have."""
    nothing = Hidden(int64(-1), int64(-1), int64(-1))
    for place in range(entities.size):
        source = int64(entities[place])
        rules = reach_all(steps, trie, constants, source, nothing, frontier, walker, reached)
        for entity in range(scores.size):
            scores[entity] = alone[entity]
        scores[source] += weights.start[0]
        add_rules(reached, rules, weights, scores)
        highest, total = scores[0], 0.0
        for entity in range(scores.size):
            highest = max(highest, scores[entity])
        for entity in range(scores.size):
            total += exp_of(scores[entity] - highest)
        found[place] = log_of(1.0 + counts[place]) - highest - log_of(total)
