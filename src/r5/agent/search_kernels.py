"""Kernels of the tree search: many trees in one pool of nodes and edges, searched in lock-step.

A tree knows nothing of relations: an edge is an action, and what is behind it is told from outside.
An edge with an outcome ends there. Beyond the paper (`solving`): an edge whose outcome is certain is *solved*; a node
all of whose edges are solved is solved too and worth its best edge, for there is one player.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.comparison_kernels import is_greater_difference
from r5._util.kernels.compilation import int64, njit_inner, njit_outer
from r5._util.kernels.elementary_kernels import exp_of, log_of
from r5.agent.beyond.solved_kernels import settle, solved_value

__all__ = ["TreeArrays", "add_nodes", "choose", "descend", "grow"]


class TreeArrays(NamedTuple):
    """Pools of nodes and edges; the edges of node v are `first[v]` to `first[v] + actions[v]`."""

    first: NDArray[np.int64]  # [nodes]
    actions: NDArray[np.int32]  # [nodes]
    above: NDArray[np.int64]  # [nodes], the edge that leads here, -1 at a root
    owner: NDArray[np.int32]  # [edges], the node this edge leaves
    child: NDArray[np.int32]  # [edges], the node it leads to, -1 where there is none yet
    prior: NDArray[np.float64]  # [edges], rho
    visits: NDArray[np.int32]  # [edges]
    total: NDArray[np.float64]  # [edges], sum of the values found behind it
    outcome: NDArray[np.float64]  # [edges], the value of a solved edge, else not a number
    sizes: NDArray[np.int64]  # [2], nodes and edges in use


@njit_inner
def _select(tree: TreeArrays, node: int, exploration: float, solving: bool) -> int:
    """PUCT: the edge with the largest Q + c P sqrt(N) / (1 + n), the first one of equals.

    Q is the mean of the values found behind an edge, 0 before the first; where solved nodes are made use of,
    a solved edge's Q is its outcome from the start.
    """
    start = tree.first[node]
    stop = start + tree.actions[node]
    visited = 1
    for edge in range(start, stop):
        visited += tree.visits[edge]
    scale = exploration * math.sqrt(visited)
    best = start
    best_score = 0.0
    for edge in range(start, stop):
        visits = tree.visits[edge]
        mean = tree.outcome[edge]
        if math.isnan(mean) or not solving:
            mean = tree.total[edge] / visits if visits else 0.0
        score = mean + scale * tree.prior[edge] / (1 + visits)
        if edge == start or is_greater_difference(score, best_score):
            best = edge
            best_score = score
    return int(best)


@njit_inner
def _back_up(tree: TreeArrays, root: int, edge: int, value: float) -> None:
    """Count a finished simulation on all edges from this one up to the root; one player, no change of sign."""
    while True:
        tree.visits[edge] += 1
        tree.total[edge] += value
        node = tree.owner[edge]
        if node == root:
            return
        edge = tree.above[node]


@njit_outer
def descend(
    tree: TreeArrays,
    roots: NDArray[np.int64],
    remaining: NDArray[np.int64],
    exploration: float,
    solving: bool,
    free_visits: int,
    leaves: NDArray[np.int64],
) -> int:
    """Run each tree's simulations until one reaches an edge with nothing behind it yet.

    Simulations that end in an edge whose outcome is certain are finished here; unless the root is solved, up to
    `free_visits` of them in a row are not taken off the budget, or sure priors would lead all of them to
    the same end. `leaves` gets the edge to grow for each root, or -1 where the simulations are done; the return
    value counts the edges to grow.
    """
    waiting = 0
    for place in range(roots.size):
        leaves[place] = -1
        root = roots[place]
        repeats = 0
        while remaining[place] > 0:
            edge = _select(tree, root, exploration, solving)
            while math.isnan(tree.outcome[edge]) and tree.child[edge] >= 0:
                edge = _select(tree, int64(tree.child[edge]), exploration, solving)
            if math.isnan(tree.outcome[edge]):
                leaves[place] = edge
                waiting += 1
                break
            _back_up(tree, root, edge, tree.outcome[edge])
            if repeats < free_visits and math.isnan(solved_value(tree, root)):
                repeats += 1
            else:
                remaining[place] -= 1
                repeats = 0
    return waiting


@njit_outer
def grow(
    tree: TreeArrays,
    roots: NDArray[np.int64],
    remaining: NDArray[np.int64],
    solving: bool,
    leaves: NDArray[np.int64],
    counts: NDArray[np.int32],
    priors: NDArray[np.float64],
    outcomes: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Put a node behind each leaf and finish the simulation with its value; `solving` settles what is now certain."""
    taken = 0
    position = int64(0)
    for place in range(roots.size):
        if leaves[place] < 0:
            continue
        edge = leaves[place]
        node = _add_node(tree, edge, counts[taken], priors, outcomes, position)
        position += counts[taken]
        value = solved_value(tree, node) if solving else np.nan
        if math.isnan(value):
            value = values[taken]
        else:
            settle(tree, roots[place], edge, value)
        _back_up(tree, roots[place], edge, value)
        remaining[place] -= 1
        taken += 1


@njit_inner
def _add_node(
    tree: TreeArrays, above: int, count: int, priors: NDArray[np.float64], outcomes: NDArray[np.float64], position: int
) -> int:
    """Append a node with its edges, whose priors and outcomes start at `position`."""
    node = tree.sizes[0]
    start = tree.sizes[1]
    tree.first[node] = start
    tree.actions[node] = count
    tree.above[node] = above
    if above >= 0:
        tree.child[above] = node
    for place in range(count):
        edge = start + place
        tree.owner[edge] = node
        tree.child[edge] = -1
        tree.prior[edge] = priors[position + place]
        tree.visits[edge] = 0
        tree.total[edge] = 0.0
        tree.outcome[edge] = outcomes[position + place]
    tree.sizes[0] = node + 1
    tree.sizes[1] = start + count
    return int(node)


@njit_outer
def add_nodes(
    tree: TreeArrays,
    above: NDArray[np.int64],
    counts: NDArray[np.int32],
    priors: NDArray[np.float64],
    outcomes: NDArray[np.float64],
) -> None:
    """Append nodes behind these edges, -1 for none."""
    position = int64(0)
    for place in range(above.size):
        _add_node(tree, above[place], counts[place], priors, outcomes, position)
        position += counts[place]


@njit_inner
def _improve(tree: TreeArrays, root: int, solving: bool, policies: NDArray[np.float64], begin: int) -> None:
    """Write pi from `begin` on: the visit counts of a root's edges as shares; of a solved root, of its best only."""
    start = tree.first[root] - begin
    stop = begin + tree.actions[root]
    best = solved_value(tree, root) if solving else np.nan
    total = 0.0
    for place in range(begin, stop):
        worthy = math.isnan(best) or not is_greater_difference(best, tree.outcome[start + place])
        policies[place] = tree.visits[start + place] if worthy else 0.0
        total += policies[place]
    if total == 0.0:
        for place in range(begin, stop):
            worthy = math.isnan(best) or not is_greater_difference(best, tree.outcome[start + place])
            policies[place] = 1.0 if worthy else 0.0
            total += policies[place]
    for place in range(begin, stop):
        policies[place] /= total


@njit_inner
def _power(base: float, power: float) -> float:
    """A number from 0 to 1 to a power above 0, the same on every machine."""
    return exp_of(power * log_of(base))


@njit_inner
def _draw(policies: NDArray[np.float64], start: int, stop: int, power: float, draw: float) -> int:
    """The place that a draw in [0, 1) falls on, each with weight (pi / largest pi) ** power; no weight underflows to
    nothing where it matters, for the largest is always 1.
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
def choose(
    tree: TreeArrays,
    roots: NDArray[np.int64],
    draws: NDArray[np.float64],
    power: float,
    solving: bool,
    policies: NDArray[np.float64],
    edges: NDArray[np.int64],
) -> None:
    """Draw an edge of each root with chance pi ** power, or take the likeliest where power is 0; pi is kept."""
    start = int64(0)
    for place in range(roots.size):
        root = roots[place]
        stop = start + tree.actions[root]
        _improve(tree, root, solving, policies, start)
        chosen = start
        if power > 0:
            chosen = _draw(policies, start, stop, power, draws[place])
        else:
            for option in range(start, stop):
                if policies[option] > policies[chosen]:
                    chosen = option
        edges[place] = tree.first[root] + chosen - start
        start = stop
