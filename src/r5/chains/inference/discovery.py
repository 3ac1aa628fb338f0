"""Discovery: the facts that a graph lacks and that are most probably true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from r5.chains.graph.step_graph import IdArray, distinct
from r5.chains.inference.fact_scorer import FactScorer, ScoredFacts
from r5.chains.inference.log_probabilities import new_candidates
from r5.chains.inference.queries import plausible_queries

__all__ = ["Discovered", "FactFilter", "discover"]

Progress = Callable[[str, int, int], None]
"""Called with the stage, the number of queries done and their total."""
_WORK = 300_000_000
"""Bound of the search: a query costs the edges that leave its entity's neighbourhood, about."""
_LEAST_WORK, _MOST_WORK = 100, 4_000
"""Bounds of the cost of one query."""
_SCORED, _PER_FACT = 30_000, 20
"""Candidates scored from both ends: the likelier ones of one end, this number or this many per fact wanted."""


@dataclass(frozen=True)
class FactFilter:
    """Restriction of a search to a relation, a head or a tail, by number, and to a minimum probability."""

    relation: int | None = None
    head: int | None = None
    tail: int | None = None
    min_probability: float = 0.0


@dataclass(frozen=True, eq=False)
class Discovered:
    """New facts, the most probable first, and the part of the graph that was searched."""

    scored: ScoredFacts
    searched: int
    """Number of queries (entity, relation, direction) asked."""
    queries: int
    """Number of plausible queries; more than `searched` where the work is bounded."""


def discover(scorer: FactScorer, count: int, wanted: FactFilter, progress: Progress | None = None) -> Discovered:
    """Return the most probable facts that the graph lacks.

    Every relation that an entity plausibly has is asked for, in both directions; candidates are what the rules reach.
    On a large graph the most plausible queries are asked first, until the work is used up.

    Args:
        scorer: The probability of facts on a graph.
        count: Maximum number of facts.
        wanted: Restriction of the search.
        progress: Called as queries are done.
    """
    query_scorer = scorer.query_scorer
    queries = plausible_queries(query_scorer, relation=wanted.relation, head=wanted.head, tail=wanted.tail)
    total = queries.entities.size
    # The most plausible queries come first; how many are afforded depends on the graph alone.
    afforded = int(np.searchsorted(np.cumsum(_costs(scorer)[queries.entities]), _WORK, side="right"))
    queries = queries.select(slice(0, max(afforded, 1)))
    done = 0

    def tick(number: int) -> None:
        nonlocal done
        done += number
        if progress is not None:
            progress("searching", min(done, queries.entities.size), queries.entities.size)

    facts, fresh, _ = new_candidates(scorer.finder, queries, tick=tick)
    kept = facts[:, 2] == wanted.tail if wanted.tail is not None else np.ones(len(facts), bool)
    facts = _likeliest(facts[kept], fresh[kept], max(_SCORED, _PER_FACT * count))
    ends = len(facts)

    def scoring(number: int) -> None:
        nonlocal done
        done += number
        if progress is not None:
            progress("scoring", min(done - queries.entities.size, 2 * ends), 2 * ends)

    scored = scorer.score(facts, tick=scoring)
    scored = scored.select((scored.probabilities >= wanted.min_probability) & ~scored.in_graph)
    return Discovered(scored.select(scorer.order(scored)[:count]), queries.entities.size, total)


def _costs(scorer: FactScorer) -> IdArray:
    """Estimate the cost of a query from each entity: the edges of its neighbours, [entities]."""
    steps = scorer.query_scorer.graph.steps
    degrees = np.diff(steps.row_offsets[steps.node_rows])
    edges = np.add.reduceat(degrees[steps.targets], steps.row_offsets[:-1]) if steps.targets.size else np.zeros(0)
    by_node = np.bincount(steps.row_nodes, edges, minlength=degrees.size) if steps.row_nodes.size else degrees
    return np.clip(by_node, _LEAST_WORK, _MOST_WORK).astype(np.int64)


def _likeliest(facts: IdArray, fresh: np.ndarray, most: int) -> IdArray:
    """Return distinct facts: the `most` with the highest log-probability from one end."""
    if len(facts) > most:
        facts = facts[np.lexsort((*facts.T[::-1], -fresh))[: 2 * most]]
        _, first = np.unique(facts, axis=0, return_index=True)
        facts = facts[np.sort(first)[:most]]
    return distinct(facts)
