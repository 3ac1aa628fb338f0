"""Compiled kernels that score every entity as the answer to a query, and rank correct answers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner
from r5.chains.features.constant_kernels import Constants, follow_constants
from r5.chains.features.walk_kernels import GraphWalk, Reached, follow, next_rule
from r5.chains.graph.step_kernels import Mask, Steps, Trie
from r5.chains.similarity.evidence_kernels import Evidence, EvidenceScratch, sum_evidence
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
    "score_all",
]

Array = NDArray[Any]


class TargetRules(NamedTuple):
    """Rules, weights and evidence of similar entities of one target on a graph."""

    step: int
    trie: Trie
    constants: Constants
    weights: Weights
    evidence: Evidence
    evidence_scratch: EvidenceScratch


class RankQueries(NamedTuple):
    """Queries of one target with their answers; known answers in compressed rows."""

    sources: Array  # [queries]
    answers: Array  # [queries]
    known: Array
    known_offsets: Array  # [queries + 1]


class RankScratch(NamedTuple):
    """Scratch arrays of `rank_answers`."""

    scores: Array  # [entities]
    is_candidate: Array  # [entities], bool
    candidates: Array  # [entities + 1], scores of the candidates


@njit_free
def entity_biases(steps: Steps, weights: Weights, scores: Array) -> None:
    """Compute the bias of each entity, [entities]."""
    no_mask = Mask(int64(-1), int64(-1), int64(-1))
    for entity in range(scores.size):
        scores[entity] = property_score(steps, int64(entity), no_mask, weights)


@njit_free
def score_all(
    walk: GraphWalk, rules: TargetRules, source: int, mask: Mask, biases: Array, reached: Reached, scores: Array
) -> None:
    """Score every entity.

    Args:
        walk: The graph.
        rules: Rules and weights of the target.
        source: The given entity.
        mask: The masked edge.
        biases: Entity biases, [entities].
        reached: Scratch.
        scores: Output, [entities].
    """
    weights, source = rules.weights, int64(source)
    for entity in range(scores.size):
        scores[entity] = biases[entity]
    scores[source] += weights.start[0]
    if mask.step >= 0:
        scores[mask.target] += property_score(walk.steps, mask.target, mask, weights) - biases[mask.target]
        if mask.source != mask.target:
            scores[mask.source] += property_score(walk.steps, mask.source, mask, weights) - biases[mask.source]
    values, found = walk.walker.values, walk.walker.found
    prefix, row, size = next_rule(walk, rules.trie, source, mask, int64(0), int64(walk.steps.node_rows[source]))
    while size > 0:
        depth, rule = rules.trie.depths[prefix], rules.trie.rules[prefix]
        applies, forward, back = weights.rules[rule, 0], weights.rules[rule, 1], weights.rules[rule, 2]
        for i in range(size):
            scores[found[depth, i]] += (
                applies + forward * np.sqrt(values[depth, i, 1]) + back * np.sqrt(values[depth, i, 2])
            )
        prefix, row, size = next_rule(walk, rules.trie, source, mask, prefix + 1, row)
    used = follow_constants(walk.steps, rules.constants, source, mask, walk.frontier, reached, int64(0))
    for use in range(used):
        for entry in range(reached.starts[use], reached.starts[use + 1]):
            scores[reached.entities[entry]] += weights.rules[reached.rules[use], 0]
    sum_evidence(walk.steps, rules.evidence, source, int64(rules.step), mask, rules.evidence_scratch, scores)


@njit_free
def reach(walk: GraphWalk, trie: Trie, constants: Constants, source: int, mask: Mask, reached: Reached) -> int:
    """Find the entities that each rule reaches, chains first; return the number of rules."""
    rules = follow(walk, trie, int64(source), mask, reached, int64(0), False)
    return follow_constants(walk.steps, constants, int64(source), mask, walk.frontier, reached, rules)


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

    Queries of one source that stand side by side share their scores.

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
    scores, offsets = scratch.scores, queries.known_offsets
    candidates = int64(0)
    for query in range(queries.sources.size):
        source, answer = int64(queries.sources[query]), queries.answers[query]
        if query == 0 or queries.sources[query - 1] != source:
            score_all(walk, rules, source, no_mask, biases, reached, scores)
            candidates = select_candidates(queries.known[offsets[query] : offsets[query + 1]], scratch)
        own = scores[answer]
        above, same = int64(0), int64(0)
        for i in range(candidates):
            above += scratch.candidates[i] > own
            same += scratch.candidates[i] == own
        better[query], equal[query] = above, same - scratch.is_candidate[answer]


@njit_inner
def select_candidates(known: Array, scratch: RankScratch) -> int:
    """Round the scores, and list those of the entities that are no known answers; return their number."""
    scores, is_candidate = scratch.scores, scratch.is_candidate
    for entity in range(scores.size):
        scores[entity] = np.rint(scores[entity] * GRID)
        is_candidate[entity] = True
    for i in range(known.size):
        is_candidate[known[i]] = False
    size = int64(0)
    for entity in range(scores.size):
        scratch.candidates[size] = scores[entity]
        size += is_candidate[entity]
    return size
