"""Costs: which rules of a relation, and how many of its questions, can be afforded where walks lead to very much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5.chains.features.trie import make_trie
from r5.chains.features.workspace import Workspace
from r5.chains.graph.step_graph import StepGraph
from r5.chains.graph.step_kernels import Mask
from r5.chains.inference.scoring_kernels import reach
from r5.chains.mining.constants import NO_CONSTANTS, make_constants

__all__ = ["Allowance", "fit_budget"]

_TRIED = 8
"""So many questions of each direction tell what rules cost."""
_ENOUGH = 100
"""So many questions of a direction are to be learned from, if need be with fewer rules."""
_MINED = 0.75
"""The share of what can be afforded that chains which connect facts may take; the rest is for single steps."""

Bodies = Sequence[tuple[int, ...]]
Body = tuple[int, ...]


@dataclass(frozen=True)
class Allowance:
    """What can be afforded: the places of rules, in order, and the most questions of each direction."""

    rules: list[int]
    queries: list[int]


def fit_budget(
    graph: StepGraph,
    steps: Sequence[int],
    both: Sequence[Bodies],
    prior: NDArray[np.float64],
    queries: int,
    work: int,
    workspace: Workspace,
    seed: int,
) -> Allowance:
    """Rules and questions of a relation so that each direction takes about `work` at the most.

    `both` are the bodies of each direction. Work is what walks come to: entities looked at, and those found. Rules
    that are good for what they cost come first; those that only say how things are, `prior` 0, come last.
    """
    every = list(range(len(both[0])))
    asked = [min(queries, graph.number_of_queries(step)) for step in steps]
    deepest = max((len(body) for body in both[0]), default=0)
    if max(asked) * len(every) * deepest * 3 * min(workspace.frontier, graph.number_of_nodes) <= work:
        return Allowance(every, asked)
    costs = [_costs(graph, step, bodies, workspace, seed) for step, bodies in zip(steps, both, strict=True)]
    wanted = [sum(one.values()) for one in costs]
    most = [work / min(count, _ENOUGH) for count in asked]
    if any(cost > limit for cost, limit in zip(wanted, most, strict=True)):
        every = _chosen(both, costs, prior, most)
        wanted = [_cost(one, [bodies[rule] for rule in every]) for one, bodies in zip(costs, both, strict=True)]
    allowed = [max(int(work / max(cost, 1.0)), _ENOUGH) for cost in wanted]
    return Allowance(every, [min(pair) for pair in zip(asked, allowed, strict=True)])


def _costs(graph: StepGraph, step: int, bodies: Bodies, workspace: Workspace, seed: int) -> dict[Body, float]:
    """What following each prefix of bodies takes a question, on average."""
    prefixes = sorted({body[:size] for body in bodies for size in range(1, len(body) + 1)})
    place = {prefix: number for number, prefix in enumerate(prefixes)}
    before = np.array([place.get(prefix[:-1], -1) for prefix in prefixes])
    trie, none = make_trie(prefixes), make_constants(NO_CONSTANTS, graph)
    workspace.reserve_rules(len(prefixes))
    sources, answers = graph.queries(step)
    chosen = np.random.default_rng([seed, step, 5]).integers(sources.size, size=_TRIED)
    total = np.zeros(len(prefixes))
    for source, answer in zip(sources[chosen].tolist(), answers[chosen].tolist(), strict=True):
        mask = Mask(source, step, answer)
        found = reach(graph.steps, trie, none, source, mask, workspace.frontier, workspace.walker, workspace.reached)
        sizes = np.zeros(len(prefixes) + 1)
        sizes[workspace.reached.rules[:found]] = np.diff(workspace.reached.starts[: found + 1])
        total += sizes[before] + 2 * sizes[:-1]
    return dict(zip(prefixes, (total / _TRIED).tolist(), strict=True))


def _cost(costs: dict[Body, float], bodies: Bodies) -> float:
    """What following bodies takes; what they begin with alike is followed once."""
    return sum(costs[prefix] for prefix in {body[:size] for body in bodies for size in range(1, len(body) + 1)})


def _chosen(
    both: Sequence[Bodies], costs: Sequence[dict[Body, float]], prior: NDArray[np.float64], most: Sequence[float]
) -> list[int]:
    """The rules that can be afforded."""
    whole = [
        max(sum(one[body[:n]] for n in range(1, len(body) + 1)) for one, body in zip(costs, bodies, strict=True))
        for bodies in zip(*both, strict=True)
    ]
    value = [round(float(good) / (1.0 + cost), 12) for good, cost in zip(prior, whole, strict=False)]
    order = sorted(range(len(whole)), key=lambda rule: (-value[rule], whole[rule], rule))
    seen: list[set[Body]] = [set() for _ in both]
    spent = [0.0 for _ in both]
    kept = []
    for rule in order:
        new = [
            {body[:n] for n in range(1, len(body) + 1)} - known
            for body, known in zip((bodies[rule] for bodies in both), seen, strict=True)
        ]
        after = [used + sum(one[prefix] for prefix in more) for used, one, more in zip(spent, costs, new, strict=True)]
        share = _MINED if prior[rule] > 0 else 1.0
        if all(cost <= share * limit for cost, limit in zip(after, most, strict=True)):
            kept.append(rule)
            spent = after
            for known, more in zip(seen, new, strict=True):
                known.update(more)
    return sorted(kept)
