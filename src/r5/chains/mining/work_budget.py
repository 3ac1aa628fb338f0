"""Work budget: the rules and the number of queries of a relation that fit in a limit of work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5.chains.features.constant_index import NO_CONSTANTS, make_constants
from r5.chains.features.trie import make_trie
from r5.chains.features.walk_kernels import GraphWalk
from r5.chains.features.workspace import Workspace
from r5.chains.graph.step_graph import StepGraph
from r5.chains.graph.step_kernels import Mask
from r5.chains.inference.scoring_kernels import reach

__all__ = ["Allowance", "fit_budget", "prefix_costs"]

COST_SAMPLES = 8
"""Number of queries of each direction that the costs of rules are measured on."""
_MIN_QUERIES = 100
"""Number of queries of a direction that must fit in the budget; rules are dropped until they do."""
_CHAIN_SHARE = 0.75
"""Share of the budget for rules with a prior; the rest is for bodies of one step that were not mined."""

Bodies = Sequence[tuple[int, ...]]
Body = tuple[int, ...]


@dataclass(frozen=True)
class Allowance:
    """Rules and queries that fit in the budget."""

    rules: list[int]  # positions of the rules, sorted
    queries: list[int]  # maximum number of queries of each direction


def fit_budget(
    graph: StepGraph,
    steps: Sequence[int],
    directions: Sequence[Bodies],
    prior: NDArray[np.float64],
    queries: int,
    work: int,
    workspace: Workspace,
    seed: int,
) -> Allowance:
    """Return rules and numbers of queries of a relation with which each direction takes about `work` at most.

    The work of a walk is the number of entities visited plus twice the number of entities found. Rules with the
    highest ratio of prior to cost are chosen first, rules with prior 0 last.

    Args:
        graph: The graph.
        steps: The step of each direction.
        directions: The bodies of each direction; rule i of one direction is the reverse of rule i of the other.
        prior: Prior of each rule, [rules].
        queries: Maximum number of queries of each direction.
        work: Maximum work of each direction.
        workspace: Scratch arrays.
        seed: Seed of the sample of queries that costs are measured on.
    """
    rules = list(range(len(directions[0])))
    counts = [min(queries, graph.number_of_queries(step)) for step in steps]
    longest = max((len(body) for body in directions[0]), default=0)
    if max(counts) * len(rules) * longest * 3 * min(workspace.frontier, graph.number_of_nodes) <= work:
        return Allowance(rules, counts)
    costs = [prefix_costs(graph, step, bodies, workspace, seed) for step, bodies in zip(steps, directions, strict=True)]
    query_costs = [sum(own_costs.values()) for own_costs in costs]
    limits = [work / min(count, _MIN_QUERIES) for count in counts]
    if any(cost > limit for cost, limit in zip(query_costs, limits, strict=True)):
        rules = _choose_rules(directions, costs, prior, limits)
        query_costs = [
            sum(own_costs[prefix] for prefix in _prefixes([bodies[rule] for rule in rules]))
            for own_costs, bodies in zip(costs, directions, strict=True)
        ]
    allowed = [max(int(work / max(cost, 1.0)), _MIN_QUERIES) for cost in query_costs]
    return Allowance(rules, [min(pair) for pair in zip(counts, allowed, strict=True)])


def prefix_costs(graph: StepGraph, step: int, bodies: Bodies, workspace: Workspace, seed: int) -> dict[Body, float]:
    """Return the mean work per query of extending walks by the last step of each prefix of the bodies.

    Args:
        graph: The graph.
        step: The step of the queries.
        bodies: The bodies.
        workspace: Scratch arrays.
        seed: Seed of the sample of queries.
    """
    prefixes = sorted(_prefixes(bodies))
    numbers = {prefix: number for number, prefix in enumerate(prefixes)}
    parents = np.array([numbers.get(prefix[:-1], -1) for prefix in prefixes])
    trie, no_constants = make_trie(prefixes), make_constants(NO_CONSTANTS, graph)
    workspace.reserve_rules(len(prefixes))
    reached, walk = workspace.reached, GraphWalk(graph.steps, workspace.frontier, workspace.walker)
    sources, answers = graph.queries(step)
    chosen = np.random.default_rng([seed, step, 5]).integers(sources.size, size=COST_SAMPLES)
    total = np.zeros(len(prefixes))
    for source, answer in zip(sources[chosen].tolist(), answers[chosen].tolist(), strict=True):
        mask = Mask(source, step, answer)
        count = reach(walk, trie, no_constants, source, mask, reached)
        sizes = np.zeros(len(prefixes) + 1)
        sizes[reached.rules[:count]] = np.diff(reached.starts[: count + 1])
        total += sizes[parents] + 2 * sizes[:-1]
    return dict(zip(prefixes, (total / COST_SAMPLES).tolist(), strict=True))


def _prefixes(bodies: Iterable[Body]) -> set[Body]:
    """Return the prefixes of bodies, the bodies included; one that several bodies share is followed once."""
    return {body[:size] for body in bodies for size in range(1, len(body) + 1)}


def _choose_rules(
    directions: Sequence[Bodies],
    costs: Sequence[dict[Body, float]],
    prior: NDArray[np.float64],
    limits: Sequence[float],
) -> list[int]:
    """Return the rules that fit in the limit of each direction, chosen by prior per cost."""
    rule_costs = [
        max(sum(own[body[:n]] for n in range(1, len(body) + 1)) for own, body in zip(costs, bodies, strict=True))
        for bodies in zip(*directions, strict=True)
    ]
    value = [round(float(good) / (1.0 + cost), 12) for good, cost in zip(prior, rule_costs, strict=False)]
    order = sorted(range(len(rule_costs)), key=lambda rule: (-value[rule], rule_costs[rule], rule))
    followed: list[set[Body]] = [set() for _ in directions]
    spent = [0.0 for _ in directions]
    chosen = []
    for rule in order:
        new = [_prefixes([bodies[rule]]) - known for bodies, known in zip(directions, followed, strict=True)]
        after = [
            used + sum(own[prefix] for prefix in prefixes)
            for used, own, prefixes in zip(spent, costs, new, strict=True)
        ]
        share = _CHAIN_SHARE if prior[rule] > 0 else 1.0
        if all(cost <= share * limit for cost, limit in zip(after, limits, strict=True)):
            chosen.append(rule)
            spent = after
            for known, prefixes in zip(followed, new, strict=True):
                known.update(prefixes)
    return sorted(chosen)
