"""Kernels of the state (Section 2.1): paths, the pairs present in them, their features, and merging a pair.

Only pairs that occur are described, so the cost does not depend on the number of relations.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner, njit_outer
from r5._util.kernels.elementary_kernels import exp_of, log_of
from r5.agent.memory_kernels import MemoryArrays, find

__all__ = ["FEATURES", "TALLY", "StateArrays", "describe", "ends", "merge_all"]

FEATURES = 9
"""Occurrences, most viewed position, occurrences there, in the rules, both known, head known, score, and the
most and fewest occurrences among the paths."""

TALLY = 3
"""Columns of a tally before those that count the occurrences of a pair at each position."""
_PATH, _IN_PATH, _PATHS = 0, 1, 2


class StateArrays(NamedTuple):
    """Pools of nodes (the state of each), their paths and their pairs, in step with the search tree's."""

    relations: NDArray[np.int32]  # [tokens]
    path_start: NDArray[np.int64]  # [paths]
    path_length: NDArray[np.int32]  # [paths]
    first_path: NDArray[np.int64]  # [nodes]
    paths: NDArray[np.int32]  # [nodes], how many
    target: NDArray[np.int32]  # [nodes], the answer of the episode, -1 where it is asked for
    log_share: NDArray[np.float64]  # [nodes], sum of the logarithms of the shares of the rules used so far
    steps: NDArray[np.int32]  # [nodes], merges so far
    left: NDArray[np.int32]  # [edges]
    right: NDArray[np.int32]  # [edges]
    left_type: NDArray[np.int32]  # [edges], known relations as they are, then one type for all invented, one for unseen
    right_type: NDArray[np.int32]  # [edges]
    row: NDArray[np.int32]  # [edges], the rule of the pair, -1 where there is none
    head: NDArray[np.int32]  # [edges], what the pair becomes
    features: NDArray[np.float32]  # [edges, FEATURES]
    sizes: NDArray[np.int64]  # [4], tokens, paths, nodes and edges in use


@njit_inner
def _merge(states: StateArrays, parent: int, left: int, right: int, head: int, log_share: float) -> None:
    """Append the state in which the first occurrence of a pair in each path has become its head.

    Paths that lack the pair are dropped, as in the paper's own code.
    """
    token, path, node = states.sizes[0], states.sizes[1], states.sizes[2]
    states.first_path[node] = path
    for number in range(states.first_path[parent], states.first_path[parent] + states.paths[parent]):
        start = states.path_start[number]
        stop = start + states.path_length[number]
        for place in range(start, stop - 1):
            if states.relations[place] == left and states.relations[place + 1] == right:
                states.path_start[path] = token
                states.path_length[path] = stop - start - 1
                for source in range(start, stop - 1):
                    states.relations[token] = states.relations[source if source < place else source + 1]
                    token += 1
                states.relations[token - stop + 1 + place] = head
                path += 1
                break
    states.paths[node] = path - states.first_path[node]
    states.target[node] = states.target[parent]
    states.log_share[node] = states.log_share[parent] + log_share
    states.steps[node] = states.steps[parent] + 1
    states.sizes[0], states.sizes[1], states.sizes[2] = token, path, node + 1


@njit_outer
def merge_all(
    states: StateArrays, owner: NDArray[np.int32], edges: NDArray[np.int64], log_shares: NDArray[np.float64]
) -> None:
    """Append the states behind these edges; `owner` tells the node each edge leaves."""
    for place in range(edges.size):
        edge = edges[place]
        row = states.row[edge]
        log_share = log_shares[row] if row >= 0 else 0.0
        _merge(states, owner[edge], states.left[edge], states.right[edge], states.head[edge], log_share)


@njit_outer
def ends(states: StateArrays, nodes: NDArray[np.int64], edges: NDArray[np.int64], ended: NDArray[np.bool_]) -> None:
    """Which of these merges leave a path of one relation."""
    for place in range(nodes.size):
        edge = edges[place]
        ended[place] = _is_whole_path(states, nodes[place], edge)


@njit_inner
def _type(relation: int, known: int) -> int:
    """What the network is told of a relation."""
    if relation < 0:
        return known + 1
    return min(relation, known)


@njit_inner
def _pair_number(
    lefts: NDArray[np.int32],
    rights: NDArray[np.int32],
    slots: NDArray[np.int64],
    node: int,
    left: int,
    right: int,
    start: int,
    count: int,
) -> int:
    """The number of a pair among those found so far in this state; a new one is appended.

    Each slot of the hash index tells a node and the number of one of its pairs; those of other nodes count as empty.
    """
    mask = slots.shape[0] - 1
    slot = ((left * 0x9E3779B1) ^ (right * 0x85EBCA6B)) & mask
    while slots[slot, 0] == node:
        number = slots[slot, 1]
        if lefts[start + number] == left and rights[start + number] == right:
            return int(number)
        slot = (slot + 1) & mask
    slots[slot, 0] = node
    slots[slot, 1] = count
    lefts[start + count] = left
    rights[start + count] = right
    return count


@njit_inner
def _count(
    features: NDArray[np.float32], edge: int, tally: NDArray[np.int32], pair: int, path: int, place: int
) -> None:
    """Note an occurrence of a pair; the first of equally viewed positions counts. Paths come one after the other."""
    features[edge, 0] += 1
    tally[pair, TALLY + place] += 1
    viewed = tally[pair, TALLY + place]
    if viewed > features[edge, 2] or (viewed == features[edge, 2] and place < features[edge, 1]):
        features[edge, 1] = place
        features[edge, 2] = viewed
    if tally[pair, _PATH] != path:
        if tally[pair, _PATHS]:
            features[edge, 8] = min(features[edge, 8], tally[pair, _IN_PATH])
        tally[pair, _PATH] = path
        tally[pair, _PATHS] += 1
        tally[pair, _IN_PATH] = 0
    tally[pair, _IN_PATH] += 1
    features[edge, 7] = max(features[edge, 7], tally[pair, _IN_PATH])


@njit_inner
def _count_pairs(states: StateArrays, node: int, start: int, slots: NDArray[np.int64], tally: NDArray[np.int32]) -> int:
    """List the pairs of a state in the order of appearance, with the features that count their occurrences."""
    features = states.features
    count = int64(0)
    first = states.first_path[node]
    for path in range(states.paths[node]):
        begin = states.path_start[first + path]
        for place in range(states.path_length[first + path] - 1):
            left = int64(states.relations[begin + place])
            right = int64(states.relations[begin + place + 1])
            pair = _pair_number(states.left, states.right, slots, node, left, right, start, count)
            if pair == count:
                count += 1
                for column in range(FEATURES):
                    features[start + pair, column] = 0
                features[start + pair, 8] = np.inf
                for column in range(tally.shape[1]):
                    tally[pair, column] = 0
                tally[pair, _PATH] = -1
            _count(features, start + pair, tally, pair, path, place)
    for pair in range(count):
        fewest = tally[pair, _IN_PATH] if tally[pair, _PATHS] == states.paths[node] else 0
        features[start + pair, 8] = min(features[start + pair, 8], fewest)
    return count


@njit_inner
def _rule_features(
    states: StateArrays, start: int, count: int, memory: MemoryArrays, known: int, fresh: int, extra: bool
) -> None:
    """Look each pair up in the rules (Equation 1) and note the features that depend on them."""
    features = states.features
    for edge in range(start, start + count):
        left, right = int64(states.left[edge]), int64(states.right[edge])
        states.left_type[edge] = _type(left, known)
        states.right_type[edge] = _type(right, known)
        row = find(memory.slots, memory.bodies, left, right)
        states.row[edge] = row
        states.head[edge] = memory.heads[row] if row >= 0 else fresh
        score = memory.scores[row] if row >= 0 else 0.0
        features[edge, 3] = 1.0 if row >= 0 else 0.0
        features[edge, 4] = 1.0 if 0 <= left < known and 0 <= right < known else 0.0
        features[edge, 5] = 1.0 if row >= 0 and memory.heads[row] < known else 0.0
        features[edge, 6] = math.copysign(log_of(1.0 + abs(score)), score)
        for column in range(FEATURES):
            if column < 3 or (extra and column > 6):
                features[edge, column] = log_of(1.0 + features[edge, column])
            elif column > 6:
                features[edge, column] = 0.0


@njit_inner
def _ending(
    states: StateArrays, node: int, edge: int, log_shares: NDArray[np.float64], known: int, shares: bool
) -> float:
    """The value of an episode that ends, or can only end, with this merge: the reward z_T where the answer is seen.

    Where it is not: 1 for a known relation and 0 for an invented one; or, by `shares`, what the rules used are
    worth from -1 to 1, and -1 for an invented one.
    """
    target, row, head = states.target[node], states.row[edge], states.head[edge]
    if row < 0 or head >= known:
        return -1.0 if shares and target < 0 else 0.0
    if target >= 0:
        return 1.0 if head == target else -1.0
    if shares:
        return 2.0 * exp_of((states.log_share[node] + log_shares[row]) / (states.steps[node] + 1)) - 1.0
    return 1.0


@njit_inner
def _outcomes(
    states: StateArrays,
    node: int,
    start: int,
    count: int,
    log_shares: NDArray[np.float64],
    known: int,
    outcomes: NDArray[np.float64],
    position: int,
    solving: bool,
    shares: bool,
    penalties: NDArray[np.float64],
) -> None:
    """The value of each merge whose end is certain, else not a number.

    That is the last merge and, where solved nodes are made use of, one of a new body, which can only end in
    invention; with the answer in sight it costs the small `penalties` for new bodies.
    """
    shortest = 1 << 30
    first = states.first_path[node]
    for number in range(first, first + states.paths[node]):
        shortest = min(shortest, states.path_length[number])
    for edge in range(start, start + count):
        is_new = states.row[edge] < 0
        value = np.nan
        if (is_new and solving) or (shortest == 2 and _is_whole_path(states, node, edge)):
            value = _ending(states, node, edge, log_shares, known, shares)
        if is_new and solving and states.target[node] >= 0:
            known_body = 0 <= states.left[edge] < known and 0 <= states.right[edge] < known
            value += penalties[0 if known_body else 1] + (shortest - 2) * penalties[1]
        outcomes[position + edge - start] = value


@njit_inner
def _is_whole_path(states: StateArrays, node: int, edge: int) -> bool:
    """Whether one of the paths consists of just this edge's pair."""
    left, right = states.left[edge], states.right[edge]
    first = states.first_path[node]
    for number in range(first, first + states.paths[node]):
        begin = states.path_start[number]
        pair = states.relations[begin] == left and states.path_length[number] == 2
        if pair and states.relations[begin + 1] == right:
            return True
    return False


@njit_outer
def describe(
    states: StateArrays,
    nodes: NDArray[np.int64],
    memory: MemoryArrays,
    log_shares: NDArray[np.float64],
    known: int,
    fresh: int,
    extra: bool,
    solving: bool,
    shares: bool,
    penalties: NDArray[np.float64],
    counts: NDArray[np.int32],
    outcomes: NDArray[np.float64],
    slots: NDArray[np.int64],
    tally: NDArray[np.int32],
) -> int:
    """List the pairs of these states, with features and certain outcomes; returns the number of pairs.

    `slots` is a hash index, [power of two, 2], in which no row starts with one of these nodes; it and `tally`,
    [pairs of a state, TALLY + positions], are working memory.
    """
    position = int64(0)
    for item in range(nodes.size):
        node = nodes[item]
        start = states.sizes[3]
        count = _count_pairs(states, node, start, slots, tally)
        _rule_features(states, start, count, memory, known, fresh, extra)
        _outcomes(states, node, start, count, log_shares, known, outcomes, position, solving, shares, penalties)
        counts[item] = count
        position += count
        states.sizes[3] = start + count
    return position
