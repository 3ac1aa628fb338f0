"""Kernels of the improved policy pi (Section 2.1): visit counts as probabilities, and the choice of a move."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.comparison_kernels import is_greater_difference
from r5._util.kernels.compilation import int64, njit_inner, njit_outer
from r5._util.kernels.elementary_kernels import exp_of, log_of
from r5.agent.beyond.solved_kernels import solved_value
from r5.agent.search.tree_kernels import TreeArrays

__all__ = ["choose_moves"]


@njit_inner
def _write_policy(tree: TreeArrays, root: int, solving: bool, policies: NDArray[np.float64], start: int) -> None:
    """Write pi of a root from `start` on: normalised visit counts; for a solved root those of its best edges only."""
    shift = tree.first[root] - start
    stop = start + tree.actions[root]
    best = solved_value(tree, root) if solving else np.nan
    total = 0.0
    for place in range(start, stop):
        is_best = math.isnan(best) or not is_greater_difference(best, tree.outcome[shift + place])
        policies[place] = tree.visits[shift + place] if is_best else 0.0
        total += policies[place]
    if total == 0.0:
        for place in range(start, stop):
            is_best = math.isnan(best) or not is_greater_difference(best, tree.outcome[shift + place])
            policies[place] = 1.0 if is_best else 0.0
            total += policies[place]
    for place in range(start, stop):
        policies[place] /= total


@njit_inner
def _power(base: float, exponent: float) -> float:
    """Return a number from 0 to 1 to a positive power, the same bits on every machine."""
    return exp_of(exponent * log_of(base))


@njit_inner
def _draw(policies: NDArray[np.float64], start: int, stop: int, power: float, draw: float) -> int:
    """Return the place that a draw in [0, 1) selects, each place with weight (pi / max pi) ** power.

    The largest weight is 1, so underflow of the others does not matter.
    """
    largest = 0.0
    for place in range(start, stop):
        largest = max(largest, policies[place])
    total = 0.0
    for place in range(start, stop):
        total += _power(policies[place] / largest, power)
    drawn = draw * total
    chosen = start
    passed = _power(policies[start] / largest, power)
    while chosen < stop - 1 and passed <= drawn:
        chosen += 1
        passed += _power(policies[chosen] / largest, power)
    return chosen


@njit_outer
def choose_moves(
    tree: TreeArrays,
    roots: NDArray[np.int64],
    draws: NDArray[np.float64],
    power: float,
    solving: bool,
    policies: NDArray[np.float64],
    edges: NDArray[np.int64],
) -> None:
    """Choose an edge of each root with probability proportional to pi ** power.

    Args:
        tree: Arrays of the trees.
        roots: Root of each tree, [trees].
        draws: Random numbers in [0, 1), [trees].
        power: 1 / temperature; 0 chooses the edge with the largest pi.
        solving: True to use solved nodes.
        policies: Output: pi of the roots one after the other, [actions].
        edges: Output: the edge chosen, [trees].
    """
    start = int64(0)
    for place in range(roots.size):
        root = roots[place]
        stop = start + tree.actions[root]
        _write_policy(tree, root, solving, policies, start)
        chosen = start
        if power > 0:
            chosen = _draw(policies, start, stop, power, draws[place])
        else:
            for option in range(start, stop):
                if policies[option] > policies[chosen]:
                    chosen = option
        edges[place] = tree.first[root] + chosen - start
        start = stop
