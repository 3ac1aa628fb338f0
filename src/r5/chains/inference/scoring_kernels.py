"""Compiled kernels that score every entity as the answer to a query, and rank correct answers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner
from r5.chains.features.constant_kernels import Constants, follow_constants
from r5.chains.features.walk_kernels import GraphWalk, Reached, Walker, follow
from r5.chains.graph.step_kernels import Mask, Steps, Trie
from r5.chains.training.weight_kernels import Weights, property_score
from r5.chains.tuning.exclusion_kernels import GRID

__all__ = [
    "GRID",
    "RankQueries",
    "RankScratch",
    "TargetRules",
    "entity_biases",
    "rank_answers",
    "reach",
    "reach_all",
    "score_all",
]

Array = NDArray[Any]


class TargetRules(NamedTuple):
    """Rules and weights of one target on a graph."""

    trie: Trie
    constants: Constants
    weights: Weights


class RankQueries(NamedTuple):
    """Queries of one target with their answers; known answers in compressed rows."""

    sources: Array  # [queries]
    answers: Array  # [queries]
    known: Array
    known_offsets: Array  # [queries + 1]


class RankScratch(NamedTuple):
    """Scratch arrays of `rank_answers`."""

    scores: Array  # [entities]
    flags: Array  # [entities], False between two queries


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
        applies, forward, back = weights.rules[rule, 0], weights.rules[rule, 1], weights.rules[rule, 2]
        for entry in range(reached.starts[use], reached.starts[use + 1]):
            scores[reached.entities[entry]] += (
                applies + forward * reached.features[entry, 0] + back * reached.features[entry, 1]
            )


@njit_inner
def reach_all(walk: GraphWalk, trie: Trie, constants: Constants, source: int, mask: Mask, reached: Reached) -> int:
    """Find the entities that each rule reaches, chains first; returns the number of rules."""
    rules = follow(walk, trie, source, mask, reached, int64(0), False)
    return follow_constants(walk.steps, constants, source, mask, walk.frontier, reached, rules)


@njit_free
def score_all(
    walk: GraphWalk, rules: TargetRules, source: int, mask: Mask, biases: Array, reached: Reached, scores: Array
) -> int:
    """Score every entity; returns the number of rules used.

    Args:
        walk: The graph.
        rules: Rules and weights of the target.
        source: The given entity.
        mask: The masked edge.
        biases: Entity biases, [entities].
        reached: Scratch.
        scores: Output, [entities].
    """
    weights = rules.weights
    count = reach_all(walk, rules.trie, rules.constants, int64(source), mask, reached)
    for entity in range(scores.size):
        scores[entity] = biases[entity]
    scores[source] += weights.start[0]
    if mask.step >= 0:
        scores[mask.target] += property_score(walk.steps, mask.target, mask, weights) - biases[mask.target]
        if mask.source != mask.target:
            scores[mask.source] += property_score(walk.steps, mask.source, mask, weights) - biases[mask.source]
    add_rules(reached, count, weights, scores)
    return count


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
    return reach_all(GraphWalk(steps, frontier, walker), trie, constants, int64(source), mask, reached)


@njit_free
def rank_answers(
    walk: GraphWalk,
    rules: TargetRules,
    queries: RankQueries,
    biases: Array,
    reached: Reached,
    scratch: RankScratch,
    better: Array,
    equal: Array,
) -> None:
    """Count the candidates that score higher than each answer, and those that score the same.

    Args:
        walk: The graph.
        rules: Rules and weights of the target.
        queries: Sources, answers and known answers, which are no candidates.
        biases: Entity biases, [entities].
        reached: Scratch.
        scratch: Scratch.
        better: Output, [queries].
        equal: Output, [queries].
    """
    no_mask = Mask(int64(-1), int64(-1), int64(-1))
    scores, flags, offsets = scratch.scores, scratch.flags, queries.known_offsets
    for query in range(queries.sources.size):
        source, answer = queries.sources[query], queries.answers[query]
        count = reach_all(walk, rules.trie, rules.constants, int64(source), no_mask, reached)
        for entity in range(scores.size):
            scores[entity] = biases[entity]
        scores[source] += rules.weights.start[0]
        add_rules(reached, count, rules.weights, scores)
        for i in range(offsets[query], offsets[query + 1]):
            flags[queries.known[i]] = True
        own = np.rint(scores[answer] * GRID)
        above, same = int64(0), int64(0)
        for entity in range(scores.size):
            if entity != answer and not flags[entity]:
                value = np.rint(scores[entity] * GRID)
                above += value > own
                same += value == own
        better[query], equal[query] = above, same
        for i in range(offsets[query], offsets[query + 1]):
            flags[queries.known[i]] = False
