"""Limits: what one relation may cost on a graph that has very many, so that all of them together stay within bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.settings import ChainSettings

__all__ = ["even_limit", "frequent_steps", "limit_settings"]

_SINGLE_STEPS = 500
"""So many single steps are rules of every relation; of graphs with more, those that its facts' ends have most often."""
_LOOKED_AT = 100_000
"""So many steps of entities are counted for that."""
_LEAST_WORK = 20_000
"""However many relations there are, so many edges are followed for each."""


def even_limit(sizes: Sequence[int], most: int) -> int:
    """The highest limit for each with which all together stay below `most`; at least 1.

    >>> even_limit([5, 100, 100], 65), even_limit([5, 10], 65)
    (30, 10)
    """
    left, limit = most, 0
    ordered = sorted(sizes)
    for place, size in enumerate(ordered):
        share = left // (len(ordered) - place)
        if size > share:
            return max(share, 1)
        limit, left = size, left - size
    return max(limit, 1)


def limit_settings(settings: ChainSettings, graph: StepGraph) -> ChainSettings:
    """The settings for one relation of a graph."""
    sizes = [graph.number_of_queries(step) for step in graph.targets()]
    most = even_limit([min(size, settings.queries) for size in sizes], settings.total_queries)
    work = max(settings.total_mining_work // max(len(sizes), 1), _LEAST_WORK)
    return replace(settings, queries=min(settings.queries, most), mining_work=min(settings.mining_work, work))


def frequent_steps(graph: StepGraph, steps: Sequence[int]) -> list[int]:
    """The steps that are rules by themselves, as the first of a relation's steps reads them."""
    every = graph.targets()
    if len(every) <= _SINGLE_STEPS:
        return every
    counts = np.zeros(graph.number_of_steps, np.int64)
    for place, step in enumerate(steps):
        found = np.bincount(_steps_of(graph, graph.queries(step)[0]), minlength=counts.size)
        # Read from its end, a rule leads from the other end with the step that leads back.
        counts += found[graph.steps.inverse] if place else found
    best = np.lexsort((np.arange(counts.size), -counts))[:_SINGLE_STEPS]
    return sorted(best[counts[best] > 0].tolist())


def _steps_of(graph: StepGraph, sources: IdArray) -> IdArray:
    """The steps of entities, one after the other, as far as there is room."""
    sources = np.unique(sources)
    first = graph.steps.node_rows[sources]
    sizes = graph.steps.node_rows[sources + 1] - first
    # Spread over all of them, whatever the entities' numbers mean.
    chosen = np.random.default_rng(0).permutation(sources.size)
    chosen = chosen[np.cumsum(sizes[chosen]) <= _LOOKED_AT]
    first, sizes = first[chosen], sizes[chosen]
    rows = np.arange(sizes.sum()) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes)
    found: IdArray = graph.steps.row_steps[rows].astype(np.int64)
    return found
