"""Compiled kernels that collect the training features of queries: candidates, and the rules that reach them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner, njit_shared
from r5.chains.features.constant_kernels import Constants, follow_constants
from r5.chains.features.masking_kernels import UnmaskedWalks, apply_mask, follow_unmasked
from r5.chains.features.walk_kernels import GraphWalk, Reached, follow
from r5.chains.graph.step_kernels import Mask, Trie, random_below, row_of

__all__ = ["CandidateMarks", "CollectionScratch", "Draw", "FeatureStore", "QueryBatch", "RuleIndex", "collect"]

Array = NDArray[Any]
MIN_SHARED = 3
"""Minimum number of queries of one source for which bodies are followed once without a mask."""


class FeatureStore(NamedTuple):
    """Candidates and features of queries in compressed rows.

    Query q has the candidates `offered[q]` to `offered[q + 1] - 1`, its answer first, and the uses `used[q]` to
    `used[q + 1] - 1`. A use u is a rule that reaches some of the candidates: its entries are `starts[u]` to
    `starts[u + 1] - 1`.
    """

    offered: Array  # [queries + 1], offsets of the candidates
    candidates: Array  # [candidates], entities
    stands_for: Array  # [candidates], number of entities that each sampled candidate represents
    used: Array  # [queries + 1], offsets of the uses
    rules: Array  # [uses], rule of each use
    starts: Array  # [uses + 1], offsets of the entries
    places: Array  # [entries], position of the candidate among those of its query
    features: Array  # [entries, 2], forward and backward feature, as in `Reached`


class Draw(NamedTuple):
    """Numbers of negatives per query."""

    reached: int  # among the entities that rules reach
    others: int  # among the entities that no rule reaches


class CandidateMarks(NamedTuple):
    """Scratch arrays over entities; all but `reached` are reset after each query."""

    places: Array  # [entities], position of a candidate among those of the query, -1 for none
    is_reached: Array  # [entities], whether a rule reaches the entity
    known: Array  # [entities], whether the entity is a known answer
    reached: Array  # [entities], entities that rules reach


class RuleIndex(NamedTuple):
    """Rules of one step."""

    others: Trie  # bodies that contain neither the step nor its inverse; masks do not affect them
    own: Trie  # bodies that contain the step or its inverse
    constants: Constants
    reversed_: bool  # whether the rules are those of the other direction: forward and backward features are swapped


class QueryBatch(NamedTuple):
    """Queries of one step; queries of the same source stand side by side for `collect`."""

    step: int
    sources: Array  # [queries]
    answers: Array  # [queries]


class CollectionScratch(NamedTuple):
    """Scratch arrays of `collect`."""

    reached: Reached
    unmasked: UnmaskedWalks
    marks: CandidateMarks
    random_state: Array  # [1], state of SplitMix64


@njit_inner
def add(store: FeatureStore, marks: CandidateMarks, first: int, size: int, entity: int, weight: float) -> int:
    """Add an entity to the candidates unless it is one; return the end of the candidates."""
    if marks.places[entity] >= 0:
        return size
    marks.places[entity] = size - first
    store.candidates[size] = entity
    store.stands_for[size] = weight
    return size + 1


@njit_inner
def mark_reached(reached: Reached, rules: int, answer: int, marks: CandidateMarks) -> int:
    """Mark the reached entities, without known answers, and list them; return their number."""
    size = int64(0)
    for use in range(rules):
        for entry in range(reached.starts[use], reached.starts[use + 1]):
            entity = reached.entities[entry]
            if not marks.is_reached[entity] and (entity == answer or not marks.known[entity]):
                marks.is_reached[entity] = True
                marks.reached[size] = entity
                size += 1
    return size


@njit_shared
def choose_candidates(
    store: FeatureStore,
    first: int,
    answer: int,
    nodes: int,
    count: int,
    draw: Draw,
    marks: CandidateMarks,
    state: Array,
) -> int:
    """Add the answer and the negatives of a query with `count` reached entities; return the end of the candidates."""
    size = add(store, marks, first, first, answer, 1.0)
    drawn = min(draw.reached, count)
    for i in range(drawn):
        other = i + random_below(state, count - i)
        marks.reached[i], marks.reached[other] = marks.reached[other], marks.reached[i]
        size = add(store, marks, first, size, int64(marks.reached[i]), count / drawn)
    start = size
    if nodes <= 3 * draw.others:
        for entity in range(nodes):
            if not marks.is_reached[entity] and not marks.known[entity]:
                size = add(store, marks, first, size, int64(entity), 1.0)
        return size
    for _ in range(2 * draw.others):
        entity = random_below(state, nodes)
        if size - start < draw.others and not marks.is_reached[entity] and not marks.known[entity]:
            size = add(store, marks, first, size, entity, 1.0)
    for i in range(start, size):
        store.stands_for[i] = (nodes - count) / (size - start)
    return size


@njit_inner
def store_uses(
    store: FeatureStore, query: int, reached: Reached, rules: int, marks: CandidateMarks, reversed_: bool
) -> None:
    """Store the features of the candidates of a query; `reversed_` swaps forward and backward features."""
    forward, back = (1, 0) if reversed_ else (0, 1)
    size = store.used[query]
    entries = store.starts[size]
    for use in range(rules):
        for entry in range(reached.starts[use], reached.starts[use + 1]):
            place = marks.places[reached.entities[entry]]
            if place >= 0:
                store.places[entries] = place
                store.features[entries, forward] = reached.features[entry, 0]
                store.features[entries, back] = np.sqrt(reached.features[entry, 1])
                entries += 1
        if entries > store.starts[size]:
            store.rules[size] = reached.rules[use]
            size += 1
            store.starts[size] = entries
    store.used[query + 1] = size


@njit_free
def collect(
    walk: GraphWalk,
    index: RuleIndex,
    batch: QueryBatch,
    first: int,
    last: int,
    draw: Draw,
    scratch: CollectionScratch,
    store: FeatureStore,
) -> int:
    """Store the candidates and features of queries, each with its fact masked.

    Bodies without the step and its inverse are followed once for all queries of a source. So are the others if the
    source has several queries; then only the changes by the mask of each query are computed.

    Args:
        walk: The graph and the scratch arrays of walks.
        index: The rules.
        batch: The queries.
        first: First query to store; the store holds the queries before it.
        last: One more than the last query to store.
        draw: Numbers of negatives.
        scratch: Scratch arrays.
        store: Output.

    Returns:
        `last`, or the first query that does not fit in the store.
    """
    steps, reached, marks = walk.steps, scratch.reached, scratch.marks
    edges = steps.by_step
    sources, answers, step = batch.sources, batch.answers, int64(batch.step)
    nodes = steps.node_rows.size - 1
    shared, group_first, group_last = int64(0), int64(0), int64(0)
    for query in range(first, last):
        source, answer = int64(sources[query]), int64(answers[query])
        mask = Mask(source, step, answer)
        if query == first or sources[query - 1] != source:
            shared = follow(walk, index.others, source, mask, reached, int64(0), True)
            group_first, group_last = int64(query), int64(query + 1)
            while group_last < last and sources[group_last] == source:
                group_last += 1
            if group_last - group_first >= MIN_SHARED:
                follow_unmasked(walk, index.own, source, answers, group_first, group_last, scratch.unmasked)
        if group_last - group_first >= MIN_SHARED and answer != source:
            rules = apply_mask(walk, index.own, scratch.unmasked, int64(query - group_first), mask, reached, shared)
        else:
            rules = follow(walk, index.own, source, mask, reached, shared, True)
        rules = follow_constants(steps, index.constants, source, mask, walk.frontier, reached, rules)
        entries, uses = store.starts[store.used[query]], store.used[query]
        if entries + reached.starts[rules] > store.places.size or uses + rules >= store.rules.size:
            return query
        row = row_of(edges, source, step)
        for edge in range(edges.offsets[row], edges.offsets[row + 1]):
            marks.known[edges.targets[edge]] = True
        begin = store.offered[query]
        count = mark_reached(reached, rules, answer, marks)
        end = choose_candidates(store, begin, answer, nodes, count, draw, marks, scratch.random_state)
        store_uses(store, query, reached, rules, marks, index.reversed_)
        store.offered[query + 1] = end
        for i in range(begin, end):
            marks.places[store.candidates[i]] = -1
        for i in range(count):
            marks.is_reached[marks.reached[i]] = False
        for edge in range(edges.offsets[row], edges.offsets[row + 1]):
            marks.known[edges.targets[edge]] = False
    return last
