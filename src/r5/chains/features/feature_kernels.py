"""Compiled kernels that keep what learning needs of each question: some candidates, and the rules that lead to them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner, njit_shared
from r5.chains.features.constant_kernels import Constants, follow_constants
from r5.chains.features.masking_kernels import UnmaskedWalks, apply_mask, follow_unmasked
from r5.chains.features.walk_kernels import Reached, Walker, follow, log_groundings
from r5.chains.graph.step_kernels import Mask, Steps, Trie, random_below, row_of

__all__ = ["CandidateMarks", "Draw", "FeatureStore", "collect"]

Array = NDArray[Any]
FEW = 3
"""For fewer questions about one entity bodies are followed once each, as that is no more than once for all."""


class FeatureStore(NamedTuple):
    """Question q has the candidates `offered[q]:offered[q + 1]`, its answer first, and the uses `used[q]:used[q + 1]`.

    A use is a rule that leads to the candidates `places[starts[u]:starts[u + 1]]`, numbered within the question.
    """

    offered: Array  # [questions + 1]
    candidates: Array
    stands_for: Array  # how many entities each candidate counts for
    used: Array  # [questions + 1]
    rules: Array
    starts: Array
    places: Array
    features: Array  # [entries, 3]


class Draw(NamedTuple):
    """How many wrong candidates are kept: the best of those reached, some others that are, and some that are not."""

    best: int
    reached: int
    others: int


class CandidateMarks(NamedTuple):
    """Room for marks on entities."""

    places: Array  # [entities], the number of a candidate within the question, -1 for none
    scores: Array  # [entities], 0 where not reached
    known: Array  # [entities], whether it is another answer
    reached: Array  # [entities], the entities that rules lead to
    order: Array  # [entities]


@njit_inner
def add(store: FeatureStore, marks: CandidateMarks, first: int, size: int, entity: int, weight: float) -> int:
    """Make an entity a candidate unless it is one; the new size."""
    if marks.places[entity] >= 0:
        return size
    marks.places[entity] = size - first
    store.candidates[size] = entity
    store.stands_for[size] = weight
    return size + 1


@njit_inner
def mark_reached(reached: Reached, rules: int, prior: Array, answer: int, marks: CandidateMarks) -> int:
    """Score the entities that rules lead to by how good those are, known answers aside; how many there are."""
    size = int64(0)
    for use in range(rules):
        weight = prior[reached.rules[use]]
        for entry in range(reached.starts[use], reached.starts[use + 1]):
            entity = reached.entities[entry]
            if marks.known[entity] and entity != answer:
                continue
            if marks.scores[entity] == 0.0:
                marks.reached[size] = entity
                marks.scores[entity] = 1e-12
                size += 1
            marks.scores[entity] += weight * (reached.features[entry, 0] + 0.1)
    return size


@njit_inner
def is_worse(marks: CandidateMarks, left: int, right: int) -> bool:
    """Whether one of the reached entities scores lower than another; of equals the later one does."""
    mine, other = marks.scores[marks.reached[left]], marks.scores[marks.reached[right]]
    return bool(mine < other or (mine == other and left > right))


@njit_inner
def put_best_first(marks: CandidateMarks, count: int, best: int) -> None:
    """Reorder so that the best come first: they are a heap with the worst of them on top, until all were looked at."""
    order = marks.order
    for start in range(best // 2 - 1, -1, -1):
        sink(marks, start, best)
    for i in range(best, count):
        if best > 0 and is_worse(marks, order[0], order[i]):
            order[0], order[i] = order[i], order[0]
            sink(marks, int64(0), best)


@njit_shared
def sink(marks: CandidateMarks, place: int, size: int) -> None:
    """Let an entry of the heap sink to where it belongs."""
    order = marks.order
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and is_worse(marks, order[child + 1], order[child]):
            child += 1
        if not is_worse(marks, order[child], order[place]):
            return
        order[place], order[child] = order[child], order[place]
        place = child


@njit_shared
def choose(
    store: FeatureStore,
    first: int,
    answer: int,
    nodes: int,
    count: int,
    draw: Draw,
    marks: CandidateMarks,
    state: Array,
) -> int:
    """Enter the candidates of a question, `count` of which were reached; where they end."""
    size = add(store, marks, first, first, answer, 1.0)
    order = marks.order
    for i in range(count):
        order[i] = i
    best = int64(draw.best)
    if count <= draw.best + draw.reached:
        best = int64(count)
    else:
        put_best_first(marks, count, best)
    for i in range(best):
        size = add(store, marks, first, size, int64(marks.reached[order[i]]), 1.0)
    rest = count - best
    for i in range(min(draw.reached, rest)):
        other = best + i + random_below(state, rest - i)
        order[best + i], order[other] = order[other], order[best + i]
        size = add(store, marks, first, size, int64(marks.reached[order[best + i]]), rest / draw.reached)
    start = size
    if nodes <= 3 * draw.others:
        for entity in range(nodes):
            if marks.scores[entity] == 0.0 and not marks.known[entity]:
                size = add(store, marks, first, size, int64(entity), 1.0)
        return size
    for _ in range(2 * draw.others):
        entity = random_below(state, nodes)
        if size - start < draw.others and marks.scores[entity] == 0.0 and not marks.known[entity]:
            size = add(store, marks, first, size, entity, 1.0)
    for i in range(start, size):
        store.stands_for[i] = (nodes - count) / (size - start)
    return size


@njit_inner
def keep_uses(
    store: FeatureStore, query: int, reached: Reached, rules: int, marks: CandidateMarks, reversed_: bool
) -> None:
    """Enter what the rules lead to among the candidates; `reversed_`, what is back stands where ahead does else."""
    forward, back = (2, 0) if reversed_ else (0, 2)
    size = store.used[query]
    entries = store.starts[size]
    for use in range(rules):
        for entry in range(reached.starts[use], reached.starts[use + 1]):
            place = marks.places[reached.entities[entry]]
            if place >= 0:
                store.places[entries] = place
                store.features[entries, forward] = reached.features[entry, 0]
                store.features[entries, 1] = log_groundings(reached.features[entry, 1])
                store.features[entries, back] = np.sqrt(reached.features[entry, 2])
                entries += 1
        if entries > store.starts[size]:
            store.rules[size] = reached.rules[use]
            size += 1
            store.starts[size] = entries
    store.used[query + 1] = size


@njit_free
def collect(
    steps: Steps,
    others: Trie,
    own: Trie,
    constants: Constants,
    sources: Array,
    step: int,
    answers: Array,
    first: int,
    last: int,
    prior: Array,
    frontier: int,
    draw: Draw,
    walker: Walker,
    reached: Reached,
    whole: UnmaskedWalks,
    marks: CandidateMarks,
    store: FeatureStore,
    state: Array,
    reversed_: bool,
) -> int:
    """Enter the questions from `first` to `last`; the first that there is no room for.

    The bodies of `own` have the step that is asked for, or its inverse; only they can see that a fact is hidden. What
    the `others` lead to is found once for questions about the same entity, which stand side by side. So is what
    `own` leads to where these are many, and only what hiding changes is found for each.
    """
    nodes = steps.node_rows.size - 1
    shared, begun, ended = int64(0), int64(0), int64(0)
    for query in range(first, last):
        source, answer = int64(sources[query]), int64(answers[query])
        mask = Mask(source, int64(step), answer)
        if query == first or sources[query - 1] != source:
            shared = follow(steps, others, source, mask, frontier, walker, reached, int64(0), True)
            begun, ended = int64(query), int64(query + 1)
            while ended < last and sources[ended] == source:
                ended += 1
            if ended - begun >= FEW:
                follow_unmasked(steps, own, source, answers, begun, ended, frontier, walker, whole)
        if ended - begun >= FEW and answer != source:
            rules = apply_mask(steps, own, whole, int64(query - begun), mask, walker, reached, shared)
        else:
            rules = follow(steps, own, source, mask, frontier, walker, reached, shared, True)
        rules = follow_constants(steps, constants, source, mask, frontier, reached, rules)
        entries, uses = store.starts[store.used[query]], store.used[query]
        if entries + reached.starts[rules] > store.places.size or uses + rules >= store.rules.size:
            return query
        row = row_of(steps, source, step)
        for edge in range(steps.row_offsets[row], steps.row_offsets[row + 1]):
            marks.known[steps.targets[edge]] = True
        begin = store.offered[query]
        count = mark_reached(reached, rules, prior, answer, marks)
        end = choose(store, begin, answer, nodes, count, draw, marks, state)
        keep_uses(store, query, reached, rules, marks, reversed_)
        store.offered[query + 1] = end
        for i in range(begin, end):
            marks.places[store.candidates[i]] = -1
        for i in range(count):
            marks.scores[marks.reached[i]] = 0.0
        for edge in range(steps.row_offsets[row], steps.row_offsets[row + 1]):
            marks.known[steps.targets[edge]] = False
    return last
