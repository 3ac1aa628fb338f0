"""Kernels of the pair features (Section 2.1, Appendix G).

Only pairs that occur on a path are described, so the cost does not depend on the number of relations. The
paper names no scale: counts, positions and scores enter as log(1 + x), with the sign of a score kept.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner
from r5._util.kernels.elementary_kernels import log_of
from r5.agent.memory.memory_kernels import MemoryArrays, find
from r5.agent.state.state_kernels import StateArrays

__all__ = ["FEATURES", "OCCURRENCE_COLUMNS", "RuleContext", "Scratch", "add_rule_features", "count_pairs"]

FEATURES = 9
"""Number of features of a pair, in the order of the columns below."""
_OCCURRENCES, _POSITION, _AT_POSITION = 0, 1, 2
"""Occurrences, the most viewed position, and occurrences at that position."""
_IN_RULES, _KNOWN_BODY, _KNOWN_HEAD, _SCORE = 3, 4, 5, 6
"""Pair in D_rl, both relations known, head known, D_rls."""
_MOST_IN_PATH, _FEWEST_IN_PATH = 7, 8
"""Maximum and minimum number of occurrences among the paths (Appendix G)."""

OCCURRENCE_COLUMNS = 3
"""Columns of `occurrences` before those that count the occurrences of a pair at each position."""
_PATH, _IN_PATH, _PATHS = 0, 1, 2
"""Path of the last occurrence, occurrences on that path, paths with the pair."""


class RuleContext(NamedTuple):
    """The rule memory as the states see it; it does not change during episodes."""

    memory: MemoryArrays
    log_shares: NDArray[np.float64]
    """[rules], log share of each rule; see `beyond.rule_shares`."""
    known: int
    """m, the number of known relations."""
    fresh: int
    """Id that stands for all relations still to be invented."""


class Scratch(NamedTuple):
    """Scratch arrays of the description of states."""

    slots: NDArray[np.int64]
    """[power of two, 2], hash index: a node and the number of one of its pairs; slots of other nodes are empty."""
    occurrences: NDArray[np.int32]
    """[pairs of a state, OCCURRENCE_COLUMNS + positions]."""


@njit_inner
def _relation_type(relation: int, known: int) -> int:
    """Return the type of a relation: its id if known, m if invented, m + 1 if unseen."""
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
    """Return the number of a pair among the `count` pairs found so far in this state; append a new pair."""
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
def _count_occurrence(
    features: NDArray[np.float32], edge: int, occurrences: NDArray[np.int32], pair: int, path: int, place: int
) -> None:
    """Count an occurrence of a pair; of equally viewed positions the first one holds. Paths come in order."""
    features[edge, _OCCURRENCES] += 1
    occurrences[pair, OCCURRENCE_COLUMNS + place] += 1
    viewed = occurrences[pair, OCCURRENCE_COLUMNS + place]
    if viewed > features[edge, _AT_POSITION] or (
        viewed == features[edge, _AT_POSITION] and place < features[edge, _POSITION]
    ):
        features[edge, _POSITION] = place
        features[edge, _AT_POSITION] = viewed
    if occurrences[pair, _PATH] != path:
        if occurrences[pair, _PATHS]:
            features[edge, _FEWEST_IN_PATH] = min(features[edge, _FEWEST_IN_PATH], occurrences[pair, _IN_PATH])
        occurrences[pair, _PATH] = path
        occurrences[pair, _PATHS] += 1
        occurrences[pair, _IN_PATH] = 0
    occurrences[pair, _IN_PATH] += 1
    features[edge, _MOST_IN_PATH] = max(features[edge, _MOST_IN_PATH], occurrences[pair, _IN_PATH])


@njit_inner
def count_pairs(states: StateArrays, node: int, start: int, scratch: Scratch) -> int:
    """List the pairs of a state in order of appearance as edges from `start` on, with the features that count.

    Returns:
        The number of pairs.
    """
    features, slots, occurrences = states.features, scratch.slots, scratch.occurrences
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
                features[start + pair, _FEWEST_IN_PATH] = np.inf
                for column in range(occurrences.shape[1]):
                    occurrences[pair, column] = 0
                occurrences[pair, _PATH] = -1
            _count_occurrence(features, start + pair, occurrences, pair, path, place)
    for pair in range(count):
        fewest = occurrences[pair, _IN_PATH] if occurrences[pair, _PATHS] == states.paths[node] else 0
        features[start + pair, _FEWEST_IN_PATH] = min(features[start + pair, _FEWEST_IN_PATH], fewest)
    return count


@njit_inner
def add_rule_features(states: StateArrays, start: int, count: int, rules: RuleContext, extra_features: bool) -> None:
    """Look up the rule of each pair (Equation 1), add the rule features, and log-scale counts, positions and scores.

    Without `extra_features` the two features of Appendix G are 0.
    """
    features, memory, known = states.features, rules.memory, rules.known
    for edge in range(start, start + count):
        left, right = int64(states.left[edge]), int64(states.right[edge])
        states.left_type[edge] = _relation_type(left, known)
        states.right_type[edge] = _relation_type(right, known)
        row = find(memory.slots, memory.bodies, left, right)
        states.row[edge] = row
        states.head[edge] = memory.heads[row] if row >= 0 else rules.fresh
        score = memory.scores[row] if row >= 0 else 0.0
        features[edge, _IN_RULES] = 1.0 if row >= 0 else 0.0
        features[edge, _KNOWN_BODY] = 1.0 if 0 <= left < known and 0 <= right < known else 0.0
        features[edge, _KNOWN_HEAD] = 1.0 if row >= 0 and memory.heads[row] < known else 0.0
        features[edge, _SCORE] = math.copysign(log_of(1.0 + abs(score)), score)
        for column in range(FEATURES):
            if column < _IN_RULES or (extra_features and column > _SCORE):
                features[edge, column] = log_of(1.0 + features[edge, column])
            elif column > _SCORE:
                features[edge, column] = 0.0
