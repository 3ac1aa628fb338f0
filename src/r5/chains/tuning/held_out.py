"""Held-out facts for tuning and calibration."""

from __future__ import annotations

import numpy as np

from r5.chains.graph.step_graph import IdArray, StepGraph

__all__ = ["hold_out", "remove_facts"]

_MAX_SHARE, _MAX_FACTS = 0.1, 1_000
"""Maximum share of each relation's facts, and maximum number of facts, to hold out."""


def hold_out(graph: StepGraph, rng: np.random.Generator) -> IdArray:
    """Draw facts to hold out: one in ten of each relation, at most 1,000 in all, none of small relations.

    Args:
        graph: The graph.
        rng: Draws the facts.

    Returns:
        Held-out facts in the order of the graph, [facts, 3].
    """
    share = min(_MAX_SHARE, _MAX_FACTS / max(len(graph.facts), 1))
    order = rng.permutation(len(graph.facts))
    relations = graph.facts[order, 1]
    by_relation = np.argsort(relations, kind="stable")
    sizes = np.bincount(relations, minlength=len(graph.relations))
    place = np.arange(order.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    chosen = order[by_relation[place < (share * sizes[relations[by_relation]]).astype(np.int64)]]
    held: IdArray = graph.facts[np.sort(chosen)]
    return held


def remove_facts(graph: StepGraph, facts: IdArray) -> StepGraph:
    """Return a graph without some of its facts, [facts, 3]."""
    if not len(facts):
        return graph
    size = np.array([1, graph.number_of_nodes, graph.number_of_nodes * len(graph.relations)])
    return graph.with_facts(graph.facts[~np.isin(graph.facts @ size, facts @ size)])
