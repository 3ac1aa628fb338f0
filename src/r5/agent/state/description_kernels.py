"""Kernel that describes states: their pairs with features, and the value of each merge with a certain end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner, njit_outer
from r5._util.kernels.elementary_kernels import exp_of
from r5.agent.state.feature_kernels import RuleContext, Scratch, add_rule_features, count_pairs
from r5.agent.state.state_kernels import StateArrays, is_whole_path

__all__ = ["DescriptionOptions", "describe"]


class DescriptionOptions(NamedTuple):
    """Settings that the description of states depends on."""

    extra_features: bool
    """True for the two features of Appendix G."""
    solving: bool
    """True to give a merge of a new body its certain outcome (beyond the paper)."""
    by_shares: bool
    """True to value an end by the shares of the rules used where the target is not seen (beyond the paper)."""


@njit_inner
def _end_value(states: StateArrays, node: int, edge: int, rules: RuleContext, by_shares: bool) -> float:
    """Return the value of an episode that ends, or can only end, with this merge.

    With the target in sight it is the reward z_T: 1 for the target, -1 for another known relation, 0 for an invented
    one. Without it, 1 for a known relation and 0 for an invented one; or, by shares, the geometric mean of the shares
    of the rules used, scaled to -1 ... 1, and -1 for an invented relation.
    """
    target, row, head = states.target[node], states.row[edge], states.head[edge]
    if row < 0 or head >= rules.known:
        return -1.0 if by_shares and target < 0 else 0.0
    if target >= 0:
        return 1.0 if head == target else -1.0
    if by_shares:
        return 2.0 * exp_of((states.log_share[node] + rules.log_shares[row]) / (states.steps[node] + 1)) - 1.0
    return 1.0


@njit_inner
def _write_outcomes(
    states: StateArrays,
    node: int,
    start: int,
    count: int,
    rules: RuleContext,
    options: DescriptionOptions,
    outcomes: NDArray[np.float64],
    position: int,
) -> None:
    """Write the value of each merge with a certain end, NaN for the others.

    Such are the last merge and, with `solving`, a merge of a new body, which can only end in an invented relation.
    """
    shortest = 1 << 30
    first = states.first_path[node]
    for number in range(first, first + states.paths[node]):
        shortest = min(shortest, states.path_length[number])
    for edge in range(start, start + count):
        value = np.nan
        if (options.solving and states.row[edge] < 0) or (shortest == 2 and is_whole_path(states, node, edge)):
            value = _end_value(states, node, edge, rules, options.by_shares)
        outcomes[position + edge - start] = value


@njit_outer
def describe(
    states: StateArrays,
    nodes: NDArray[np.int64],
    rules: RuleContext,
    options: DescriptionOptions,
    scratch: Scratch,
    counts: NDArray[np.int32],
    outcomes: NDArray[np.float64],
) -> int:
    """List the pairs of these states as new edges, with features and certain outcomes.

    Args:
        states: Arrays of the states, changed in place; they must have free capacity.
        nodes: States to describe, [nodes].
        rules: The rule memory.
        options: Settings.
        scratch: Scratch arrays; no slot may hold one of these nodes.
        counts: Output: number of pairs of each state, [nodes].
        outcomes: Output: value of a merge with a certain end, else NaN, [pairs].

    Returns:
        The number of pairs of all states.
    """
    position = int64(0)
    for item in range(nodes.size):
        node = nodes[item]
        start = states.sizes[3]
        count = count_pairs(states, node, start, scratch)
        add_rule_features(states, start, count, rules, options.extra_features)
        _write_outcomes(states, node, start, count, rules, options, outcomes, position)
        counts[item] = count
        position += count
        states.sizes[3] = start + count
    return position
