"""Kernels of the state (Section 2.1): paths, the pairs present in them, their features, and merging a pair.

Only pairs that occur are described, so the cost does not depend on the number of relations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from r5.agent.memory_kernels import MemoryArrays, find

__all__ = ["FEATURES", "StateArrays", "describe", "ends", "merge", "merge_all"]

FEATURES = 9
"""Occurrences, most viewed position, occurrences there, in the rules, both known, head known, score, and the
most and fewest occurrences among the paths."""


class StateArrays(NamedTuple):
    """Pools of nodes (the state of each), their paths and their pairs, in step with the search tree's."""

    relations: NDArray[np.int32]  # [tokens]
    path_start: NDArray[np.int64]  # [paths]
    path_length: NDArray[np.int32]  # [paths]
    first_path: NDArray[np.int64]  # [nodes]
    paths: NDArray[np.int32]  # [nodes], how many
    target: NDArray[np.int32]  # [nodes], the answer of the episode, -1 where it is asked for
    merit: NDArray[np.float64]  # [nodes], sum of the merits of the rules used so far
    steps: NDArray[np.int32]  # [nodes], merges so far
    left: NDArray[np.int32]  # [edges]
    right: NDArray[np.int32]  # [edges]
    left_type: NDArray[np.int32]  # [edges], known relations as they are, then one type for all invented, one for unseen
    right_type: NDArray[np.int32]  # [edges]
    row: NDArray[np.int32]  # [edges], the rule of the pair, -1 where there is none
    head: NDArray[np.int32]  # [edges], what the pair becomes
    features: NDArray[np.float32]  # [edges, FEATURES]
    sizes: NDArray[np.int64]  # [4], tokens, paths, nodes and edges in use


@njit(cache=True)
def merge(states: StateArrays, parent: int, left: int, right: int, head: int, merit: float) -> int:
    """The state in which the first occurrence of a pair in each path has become its head.

    Paths that lack the pair are dropped, as in the paper's own code.
    """
    token, path, node = states.sizes[0], states.sizes[1], states.sizes[2]
    states.first_path[node] = path
    for number in range(states.first_path[parent], states.first_path[parent] + states.paths[parent]):
        start = states.path_start[number]
        stop = start + states.path_length[number]
        for place in range(start, stop - 1):
            if states.relations[place] == left and states.relations[place + 1] == right:
                before = place - start
                after = stop - place - 2
                states.relations[token : token + before] = states.relations[start:place]
                states.relations[token + before] = head
                states.relations[token + before + 1 : token + before + 1 + after] = states.relations[place + 2 : stop]
                states.path_start[path] = token
                states.path_length[path] = before + 1 + after
                token += before + 1 + after
                path += 1
                break
    states.paths[node] = path - states.first_path[node]
    states.target[node] = states.target[parent]
    states.merit[node] = states.merit[parent] + merit
    states.steps[node] = states.steps[parent] + 1
    states.sizes[0], states.sizes[1], states.sizes[2] = token, path, node + 1
    return int(node)


@njit(cache=True)
def merge_all(
    states: StateArrays, owner: NDArray[np.int32], edges: NDArray[np.int64], merits: NDArray[np.float64]
) -> None:
    """Append the states behind these edges; `owner` tells the node each edge leaves."""
    for edge in edges:
        row = states.row[edge]
        merit = merits[row] if row >= 0 else 0.0
        merge(states, owner[edge], states.left[edge], states.right[edge], states.head[edge], merit)


@njit(cache=True)
def ends(states: StateArrays, nodes: NDArray[np.int64], edges: NDArray[np.int64], ended: NDArray[np.bool_]) -> None:
    """Which of these merges leave a path of one relation."""
    for place in range(nodes.size):
        edge = edges[place]
        ended[place] = _is_whole_path(states, nodes[place], states.left[edge], states.right[edge])


@njit(cache=True)
def _type(relation: int, known: int) -> int:
    """What the network is told of a relation."""
    if relation < 0:
        return known + 1
    return min(relation, known)


@njit(cache=True)
def _pair_number(
    states: StateArrays,
    table: NDArray[np.int64],
    stamps: NDArray[np.int64],
    stamp: int,
    left: int,
    right: int,
    start: int,
    count: int,
) -> int:
    """The number of a pair among those found so far in this state; a new one is appended."""
    mask = table.size - 1
    slot = ((left * 0x9E3779B1) ^ (right * 0x85EBCA6B)) & mask
    while stamps[slot] == stamp:
        number = table[slot]
        if states.left[start + number] == left and states.right[start + number] == right:
            return int(number)
        slot = (slot + 1) & mask
    stamps[slot] = stamp
    table[slot] = count
    states.left[start + count] = left
    states.right[start + count] = right
    return count


@njit(cache=True)
def _count_pairs(
    states: StateArrays,
    node: int,
    start: int,
    table: NDArray[np.int64],
    stamps: NDArray[np.int64],
    stamp: int,
    found: NDArray[np.int32],
) -> tuple[int, int]:
    """List the pairs of a state in the order of appearance; `found` gets (pair, position, path) of each occurrence."""
    count = 0
    occurrences = 0
    first = states.first_path[node]
    for number in range(first, first + states.paths[node]):
        begin = states.path_start[number]
        for place in range(states.path_length[number] - 1):
            left, right = states.relations[begin + place], states.relations[begin + place + 1]
            pair = _pair_number(states, table, stamps, stamp, int(left), int(right), start, count)
            count = max(count, pair + 1)
            found[occurrences, 0] = pair
            found[occurrences, 1] = place
            found[occurrences, 2] = number - first
            occurrences += 1
    return count, occurrences


@njit(cache=True)
def _one_path(states: StateArrays, start: int, count: int, found: NDArray[np.int32], occurrences: int) -> None:
    """Occurrence features where there is one path: each position is seen once."""
    features = states.features
    features[start : start + count, 0] = 0.0
    features[start : start + count, 1] = -1.0
    for item in range(occurrences):
        edge = start + found[item, 0]
        features[edge, 0] += 1.0
        if features[edge, 1] < 0:
            features[edge, 1] = found[item, 1]
    for edge in range(start, start + count):
        features[edge, 2] = 1.0
        features[edge, 7] = features[edge, 0]
        features[edge, 8] = features[edge, 0]


@njit(cache=True)
def _many_paths(
    states: StateArrays, start: int, count: int, found: NDArray[np.int32], occurrences: int, paths: int
) -> None:
    """Occurrence features where there are several paths; the first of equally viewed positions counts."""
    features = states.features
    length = found[:occurrences, 1].max() + 1
    by_place = np.zeros((count, length), dtype=np.int32)
    by_path = np.zeros((count, paths), dtype=np.int32)
    for item in range(occurrences):
        by_place[found[item, 0], found[item, 1]] += 1
        by_path[found[item, 0], found[item, 2]] += 1
    for pair in range(count):
        place = by_place[pair].argmax()
        features[start + pair, 0] = by_place[pair].sum()
        features[start + pair, 1] = place
        features[start + pair, 2] = by_place[pair, place]
        features[start + pair, 7] = by_path[pair].max()
        features[start + pair, 8] = by_path[pair].min()


@njit(cache=True)
def _rule_features(
    states: StateArrays, start: int, count: int, memory: MemoryArrays, known: int, fresh: int, extra: bool
) -> None:
    """Look each pair up in the rules (Equation 1) and note the features that depend on them."""
    features = states.features
    for edge in range(start, start + count):
        left, right = states.left[edge], states.right[edge]
        states.left_type[edge] = _type(left, known)
        states.right_type[edge] = _type(right, known)
        row = find(memory, left, right)
        states.row[edge] = row
        states.head[edge] = memory.heads[row] if row >= 0 else fresh
        score = memory.scores[row] if row >= 0 else 0.0
        features[edge, 3] = 1.0 if row >= 0 else 0.0
        features[edge, 4] = 1.0 if 0 <= left < known and 0 <= right < known else 0.0
        features[edge, 5] = 1.0 if row >= 0 and memory.heads[row] < known else 0.0
        features[edge, 6] = np.sign(score) * np.log1p(abs(score))
        if not extra:
            features[edge, 7:] = 0.0
        for column in (0, 1, 2, 7, 8):
            features[edge, column] = np.log1p(features[edge, column])


@njit(cache=True)
def _outcomes(
    states: StateArrays,
    node: int,
    start: int,
    count: int,
    merits: NDArray[np.float64],
    known: int,
    outcomes: NDArray[np.float64],
    position: int,
    penalties: NDArray[np.float64],
) -> None:
    """The value of each merge whose end is certain: the last one, or one with a new body, which ends in invention.

    With a target: the reward z_T, less the small penalties for new bodies, so that of two inventions
    the simpler one is preferred. Without: -1 for "cannot say", else what the rules' merits come to.
    """
    target = states.target[node]
    shortest = 1 << 30
    first = states.first_path[node]
    for number in range(first, first + states.paths[node]):
        shortest = min(shortest, states.path_length[number])
    for edge in range(start, start + count):
        is_end = shortest == 2 and _is_whole_path(states, node, states.left[edge], states.right[edge])
        row, head = states.row[edge], states.head[edge]
        value = np.nan
        if row < 0 and target >= 0:
            known_body = 0 <= states.left[edge] < known and 0 <= states.right[edge] < known
            value = penalties[0 if known_body else 1] + (shortest - 2) * penalties[1]
        elif row < 0 or (is_end and head >= known):
            value = 0.0 if target >= 0 else -1.0
        elif is_end and target >= 0:
            value = 1.0 if head == target else -1.0
        elif is_end:
            value = 2.0 * np.exp((states.merit[node] + merits[row]) / (states.steps[node] + 1)) - 1.0
        outcomes[position + edge - start] = value


@njit(cache=True)
def _is_whole_path(states: StateArrays, node: int, left: int, right: int) -> bool:
    """Whether one of the paths consists of just this pair."""
    first = states.first_path[node]
    for number in range(first, first + states.paths[node]):
        begin = states.path_start[number]
        pair = states.relations[begin] == left and states.path_length[number] == 2
        if pair and states.relations[begin + 1] == right:
            return True
    return False


@njit(cache=True)
def describe(
    states: StateArrays,
    nodes: NDArray[np.int64],
    memory: MemoryArrays,
    merits: NDArray[np.float64],
    known: int,
    fresh: int,
    extra: bool,
    penalties: NDArray[np.float64],
    counts: NDArray[np.int32],
    outcomes: NDArray[np.float64],
) -> int:
    """List the pairs of these states, with features and certain outcomes; returns the number of pairs."""
    tokens = 0
    for node in nodes:
        first = states.first_path[node]
        tokens = max(tokens, states.path_length[first : first + states.paths[node]].sum())
    slots = 4
    while slots < 2 * tokens:
        slots *= 2
    table = np.empty(slots, dtype=np.int64)
    stamps = np.full(slots, -1, dtype=np.int64)
    found = np.empty((tokens, 3), dtype=np.int32)
    position = 0
    for item in range(nodes.size):
        node = nodes[item]
        start = states.sizes[3]
        count, occurrences = _count_pairs(states, node, start, table, stamps, item, found)
        if states.paths[node] == 1:
            _one_path(states, start, count, found, occurrences)
        else:
            _many_paths(states, start, count, found, occurrences, states.paths[node])
        _rule_features(states, start, count, memory, known, fresh, extra)
        _outcomes(states, node, start, count, merits, known, outcomes, position, penalties)
        counts[item] = count
        position += count
        states.sizes[3] = start + count
    return position
