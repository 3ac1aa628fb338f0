"""Compiled kernels that score the candidates which the rules reach, normalised over all entities.

A query (source, step) gives each candidate two log-probabilities: `joint`, a softmax over all entities, known answers
included, and `fresh`, a softmax over the entities that are no known answer. Entities that no rule reaches have the
score of their entity bias alone; their sum is known beforehand, so a query costs what its rules reach.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner
from r5._util.kernels.elementary_kernels import exp_of, log_of
from r5.chains.features.constant_kernels import Constants, follow_constants
from r5.chains.features.walk_kernels import GraphWalk, Reached, next_rule
from r5.chains.graph.step_kernels import Mask, Trie
from r5.chains.inference.scoring_kernels import TargetRules
from r5.chains.similarity.evidence_kernels import add_evidence, reset_evidence
from r5.chains.training.weight_kernels import property_score
from r5.chains.tuning.exclusion_kernels import GRID

__all__ = ["Biases", "Found", "QueryRows", "Selection", "Workspace", "count_rules", "find_candidates"]

Array = NDArray[Any]
TINY = 1e-300
"""Lower bound of a normaliser whose terms cancel."""


class Biases(NamedTuple):
    """Entity biases of one target and their sum."""

    scores: Array  # [entities]
    highest: float
    total: float  # sum of exp(score - highest)


class QueryRows(NamedTuple):
    """Queries of one target, with the known answers and the wanted candidates of each in compressed rows."""

    sources: Array  # [queries]
    known: Array  # known answers
    known_offsets: Array  # [queries + 1]
    wanted: Array  # candidates whose log-probabilities are wanted in any case
    wanted_offsets: Array  # [queries + 1]


class Selection(NamedTuple):
    """Candidates to be found."""

    masked: int  # step whose fact, from the source to the wanted candidate, is masked; -1 for none
    least: float  # minimum log-probability among new candidates


class Found(NamedTuple):
    """Output of `find_candidates`."""

    sizes: Array  # [queries], number of candidates found
    entities: Array  # [queries, top]
    joint: Array  # [queries, top]
    fresh: Array  # [queries, top]
    wanted_joint: Array  # as `QueryRows.wanted`
    wanted_fresh: Array
    wanted_confidence: Array  # largest confidence of a rule that reaches the candidate, 0 for none


class Workspace(NamedTuple):
    """Scratch arrays; flags are False between two queries."""

    scores: Array  # [entities]
    confidence: Array  # [entities], largest confidence of a rule that reaches the entity
    touched: Array  # [entities], the entities with a score of their own
    is_touched: Array  # [entities]
    is_known: Array  # [entities]
    reached: Reached  # entities that the rules reach


@njit_inner
def touch(entity: int, count: int, biases: Biases, space: Workspace) -> int:
    """Give an entity a score of its own, its bias at first; returns the new number of such entities."""
    if space.is_touched[entity]:
        return int64(count)
    space.is_touched[entity] = True
    space.touched[count] = entity
    space.scores[entity] = biases.scores[entity]
    space.confidence[entity] = 0.0
    return int64(count + 1)


@njit_inner
def score_reached(
    walk: GraphWalk, rules: TargetRules, source: int, mask: Mask, biases: Biases, confidences: Array, space: Workspace
) -> int:
    """Score the entities that rules or similar entities suggest for a source; return their number."""
    steps, weights, reached = walk.steps, rules.weights, space.reached
    count = touch(int64(source), int64(0), biases, space)
    space.scores[source] += weights.start[0]
    if mask.step >= 0:
        count = touch(mask.target, count, biases, space)
        space.scores[mask.target] += property_score(steps, mask.target, mask, weights)
        space.scores[mask.target] -= biases.scores[mask.target]
        if mask.source != mask.target:
            count = touch(mask.source, count, biases, space)
            space.scores[mask.source] += property_score(steps, mask.source, mask, weights)
            space.scores[mask.source] -= biases.scores[mask.source]
    values, found = walk.walker.values, walk.walker.found
    prefix, row, size = next_rule(walk, rules.trie, source, mask, int64(0), int64(steps.node_rows[source]))
    while size > 0:
        depth, rule = rules.trie.depths[prefix], rules.trie.rules[prefix]
        applies, forward, back = weights.rules[rule, 0], weights.rules[rule, 1], weights.rules[rule, 2]
        confidence = confidences[rule] if applies != 0.0 or forward != 0.0 or back != 0.0 else 0.0
        for i in range(size):
            target = int64(found[depth, i])
            count = touch(target, count, biases, space)
            space.scores[target] += (
                applies + forward * np.sqrt(values[depth, i, 1]) + back * np.sqrt(values[depth, i, 2])
            )
            space.confidence[target] = max(space.confidence[target], confidence)
        prefix, row, size = next_rule(walk, rules.trie, source, mask, prefix + 1, row)
    used = follow_constants(steps, rules.constants, source, mask, walk.frontier, reached, int64(0))
    for use in range(used):
        rule = reached.rules[use]
        weight = weights.rules[rule, 0]
        confidence = confidences[rule] if weight != 0.0 else 0.0
        for entry in range(reached.starts[use], reached.starts[use + 1]):
            entity = int64(reached.entities[entry])
            count = touch(entity, count, biases, space)
            space.scores[entity] += weight
            space.confidence[entity] = max(space.confidence[entity], confidence)
    similar = rules.evidence_scratch
    size = add_evidence(steps, rules.evidence, int64(source), rules.step, mask, similar)
    for i in range(size):
        entity = int64(similar.found[i])
        count = touch(entity, count, biases, space)
        space.scores[entity] += similar.values[entity]
    reset_evidence(size, similar)
    return count


@njit_inner
def log_normaliser(count: int, fresh: bool, biases: Biases, space: Workspace) -> float:
    """Logarithm of the sum of exp(score) over all entities or, with `fresh`, over those that are no known answer."""
    highest = biases.highest
    for i in range(count):
        entity = space.touched[i]
        if not (fresh and space.is_known[entity]):
            highest = max(highest, space.scores[entity])
    rest, own = biases.total, 0.0
    for i in range(count):
        entity = space.touched[i]
        rest -= exp_of(biases.scores[entity] - biases.highest)
        if not (fresh and space.is_known[entity]):
            own += exp_of(space.scores[entity] - highest)
    total = max(rest, 0.0) * exp_of(biases.highest - highest) + own
    return highest + log_of(max(total, TINY))


@njit_inner
def insert(entity: int, score: float, size: int, entities: Array, scores: Array) -> int:
    """Insert a candidate into a list sorted by score, then by number; returns the new size of the list."""
    top = entities.size
    place = size
    while place > 0 and (score > scores[place - 1] or (score == scores[place - 1] and entity < entities[place - 1])):
        place -= 1
    if place >= top:
        return int64(size)
    last = min(size, top - 1)
    while last > place:
        entities[last], scores[last] = entities[last - 1], scores[last - 1]
        last -= 1
    entities[place], scores[place] = entity, score
    return int64(min(size + 1, top))


@njit_free
def find_candidates(
    walk: GraphWalk,
    rules: TargetRules,
    rows: QueryRows,
    selection: Selection,
    biases: Biases,
    confidences: Array,
    space: Workspace,
    found: Found,
) -> None:
    """Find the best new candidates that the rules reach, and the log-probabilities of the wanted candidates.

    Where a fact is masked, each query has one wanted candidate: a known answer, whose fact is masked. It is then
    neither a known answer nor among the candidates found.

    Args:
        walk: The graph.
        rules: Rules and weights of the target.
        rows: The queries.
        selection: The masked step and the minimum log-probability.
        biases: Entity biases.
        confidences: Confidence of each rule, [rules].
        space: Scratch.
        found: Output.
    """
    masked = selection.masked
    for query in range(rows.sources.size):
        source = int64(rows.sources[query])
        answer = int64(rows.wanted[rows.wanted_offsets[query]]) if masked >= 0 else int64(-1)
        mask = Mask(source if masked >= 0 else int64(-1), int64(masked), answer)
        count = score_reached(walk, rules, source, mask, biases, confidences, space)
        reach = count
        for i in range(rows.known_offsets[query], rows.known_offsets[query + 1]):
            if rows.known[i] != answer:
                space.is_known[rows.known[i]] = True
                count = touch(int64(rows.known[i]), count, biases, space)
        joint = log_normaliser(count, False, biases, space)
        fresh = log_normaliser(count, True, biases, space)
        size = int64(0)
        entities, values = found.entities[query], found.fresh[query]
        for i in range(reach):
            entity = int64(space.touched[i])
            if entity != answer and not space.is_known[entity] and space.scores[entity] - fresh >= selection.least:
                size = insert(entity, np.rint(space.scores[entity] * GRID), size, entities, values)
        found.sizes[query] = size
        for i in range(size):
            score = space.scores[entities[i]]
            found.joint[query, i], found.fresh[query, i] = score - joint, score - fresh
        for i in range(rows.wanted_offsets[query], rows.wanted_offsets[query + 1]):
            entity = int64(rows.wanted[i])
            score = space.scores[entity] if space.is_touched[entity] else biases.scores[entity]
            found.wanted_joint[i], found.wanted_fresh[i] = score - joint, score - fresh
            found.wanted_confidence[i] = space.confidence[entity] if space.is_touched[entity] else 0.0
        for i in range(count):
            space.is_touched[space.touched[i]] = False
        for i in range(rows.known_offsets[query], rows.known_offsets[query + 1]):
            space.is_known[rows.known[i]] = False


@njit_free
def count_rules(
    walk: GraphWalk,
    trie: Trie,
    constants: Constants,
    rows: QueryRows,
    reached: Reached,
    is_known: Array,
    counts: Array,
) -> None:
    """Count for each rule the candidates that it reaches from the sources, and the known answers among them.

    `counts` is [rules, 2]: support and predictions; `is_known` is all False before and after.
    """
    no_mask, found = Mask(int64(-1), int64(-1), int64(-1)), walk.walker.found
    for query in range(rows.sources.size):
        source = int64(rows.sources[query])
        for i in range(rows.known_offsets[query], rows.known_offsets[query + 1]):
            is_known[rows.known[i]] = True
        prefix, row, size = next_rule(walk, trie, source, no_mask, int64(0), int64(walk.steps.node_rows[source]))
        while size > 0:
            depth, support = trie.depths[prefix], int64(0)
            for i in range(size):
                support += is_known[found[depth, i]]
            counts[trie.rules[prefix], 0] += support
            counts[trie.rules[prefix], 1] += size
            prefix, row, size = next_rule(walk, trie, source, no_mask, prefix + 1, row)
        used = follow_constants(walk.steps, constants, source, no_mask, walk.frontier, reached, int64(0))
        for use in range(used):
            rule = reached.rules[use]
            counts[rule, 1] += reached.starts[use + 1] - reached.starts[use]
            for entry in range(reached.starts[use], reached.starts[use + 1]):
                counts[rule, 0] += is_known[reached.entities[entry]]
        for i in range(rows.known_offsets[query], rows.known_offsets[query + 1]):
            is_known[rows.known[i]] = False
