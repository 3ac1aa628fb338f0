"""Limits of each relation that keep the total work within bounds on graphs with many relations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.settings import ChainSettings

__all__ = ["even_limit", "frequent_steps", "limit_settings", "mining_work"]

_MAX_SINGLE_STEPS = 500
"""Maximum number of bodies of one step that every relation has. On graphs with more steps, the most frequent ones."""
_MAX_COUNTED_ROWS = 100_000
"""Maximum number of rows of the graph that frequencies are counted on."""
_MIN_MINING_WORK = 20_000
"""Minimum mining work of each relation and direction, in edges."""
_BASE_MINING_WORK, _MINING_WORK_PER_FACT = 100_000_000, 2_000
"""Mining work of a graph whatever its number of facts, shared evenly by all relations and directions, and work for each
fact, so that the work follows the number of facts where relations are many and small."""


def even_limit(sizes: Sequence[int], total: int) -> int:
    """Return the highest limit for which the sum of `min(size, limit)` is at most `total`; at least 1.

    Args:
        sizes: The sizes to limit.
        total: Maximum sum.

    Example:
        >>> even_limit([5, 100, 100], 65), even_limit([5, 10], 65)
        (30, 10)
    """
    left, limit = total, 0
    ordered = sorted(sizes)
    for position, size in enumerate(ordered):
        share = left // (len(ordered) - position)
        if size > share:
            return max(share, 1)
        limit, left = size, left - size
    return max(limit, 1)


def limit_settings(settings: ChainSettings, graph: StepGraph) -> ChainSettings:
    """Return the settings for one relation of a graph: `queries` and `mining_work` within the totals."""
    sizes = [graph.number_of_queries(step) for step in graph.targets()]
    queries = even_limit([min(size, settings.queries) for size in sizes], settings.total_queries)
    work = max(settings.total_mining_work // max(len(sizes), 1), _MIN_MINING_WORK)
    return replace(settings, queries=min(settings.queries, queries), mining_work=min(settings.mining_work, work))


def mining_work(settings: ChainSettings, graph: StepGraph, step: int) -> int:
    """Return the mining work of one step, in edges: less than `settings.mining_work` where it has few facts.

    Args:
        settings: Settings with the limits of one relation, as `limit_settings` returns them.
        graph: The graph.
        step: The step.
    """
    base = _BASE_MINING_WORK // max(len(graph.targets()), 1)
    work = max(base + _MINING_WORK_PER_FACT * graph.number_of_queries(step), _MIN_MINING_WORK)
    return min(settings.mining_work, work)


def frequent_steps(graph: StepGraph, steps: Sequence[int], max_steps: int = _MAX_SINGLE_STEPS) -> list[int]:
    """Return the steps most frequent at the ends of a relation's facts, which are its bodies of length one.

    Args:
        graph: The graph.
        steps: The steps of the relation; the result is for queries of the first one.
        max_steps: Maximum number of steps to return.

    Returns:
        Steps in ascending order.
    """
    targets = graph.targets()
    if len(targets) <= max_steps:
        return targets
    counts = np.zeros(graph.number_of_steps, np.int64)
    for position, step in enumerate(steps):
        step_counts = np.bincount(_sample_steps(graph, graph.queries(step)[0]), minlength=counts.size)
        # The reversed rule starts at the other end of a fact and follows the inverse step.
        counts += step_counts[graph.steps.inverse] if position else step_counts
    best = np.lexsort((np.arange(counts.size), -counts))[:max_steps]
    return sorted(best[counts[best] > 0].tolist())


def _sample_steps(graph: StepGraph, sources: IdArray) -> IdArray:
    """Return the steps that entities have, one for each row; of many entities, those of a random sample."""
    sources = np.unique(sources)
    first = graph.steps.node_rows[sources]
    sizes = graph.steps.node_rows[sources + 1] - first
    # A random sample does not depend on the order of the entities.
    chosen = np.random.default_rng(0).permutation(sources.size)
    chosen = chosen[np.cumsum(sizes[chosen]) <= _MAX_COUNTED_ROWS]
    first, sizes = first[chosen], sizes[chosen]
    rows = np.arange(sizes.sum()) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes)
    sampled: IdArray = graph.steps.row_steps[rows].astype(np.int64)
    return sampled
