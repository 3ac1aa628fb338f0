"""Choosing facts that are not learned from, so that probabilities can be measured by them."""

from __future__ import annotations

import numpy as np

from r5.chains.graph.step_graph import IdArray, StepGraph

__all__ = ["hold_out", "remove_facts"]

_SHARE = 0.1
_MOST = 1_000


def hold_out(graph: StepGraph, rng: np.random.Generator) -> IdArray:
    """A few facts of each relation that has many: one in ten, 1,000 in all at the most, in order."""
    share = min(_SHARE, _MOST / max(len(graph.facts), 1))
    order = rng.permutation(len(graph.facts))
    relations = graph.facts[order, 1]
    by_relation = np.argsort(relations, kind="stable")
    sizes = np.bincount(relations, minlength=len(graph.relations))
    place = np.arange(order.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    chosen = order[by_relation[place < (share * sizes[relations[by_relation]]).astype(np.int64)]]
    found: IdArray = graph.facts[np.sort(chosen)]
    return found


def remove_facts(graph: StepGraph, facts: IdArray) -> StepGraph:
    """The graph without some of its facts."""
    if not len(facts):
        return graph
    size = np.array([1, graph.number_of_nodes, graph.number_of_nodes * len(graph.relations)])
    return graph.with_facts(graph.facts[~np.isin(graph.facts @ size, facts @ size)])
