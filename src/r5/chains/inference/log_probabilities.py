"""Log-probabilities of facts from both ends: of the tail given head and relation, and of the head."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5.chains.graph.step_graph import IdArray
from r5.chains.inference.candidate_kernels import QueryRows
from r5.chains.inference.candidates import CandidateFinder, Tick
from r5.chains.inference.queries import Queries

__all__ = ["IMPOSSIBLE", "LEAST", "TOP", "fact_log_probabilities", "new_candidates"]

FloatArray = NDArray[np.float64]
TOP, LEAST = 10, -7.0
"""Candidates per query, and their minimum log-probability among new ones."""
IMPOSSIBLE = -1e9
"""Log-probability where the model has no target for the query."""


def new_candidates(
    finder: CandidateFinder, queries: Queries, top: int, least: float, tick: Tick | None = None
) -> tuple[IdArray, FloatArray, IdArray]:
    """Return facts that the rules derive and the graph lacks: those found by each query, best first.

    Args:
        finder: Scores candidates.
        queries: What is asked.
        top: Maximum number of facts per query.
        least: Minimum log-probability of a candidate among new ones.
        tick: Called with the number of queries done.

    Returns:
        Facts, [facts, 3], not distinct: a fact may be found from both ends; the `fresh` log-probability of each;
        and the number of the query that found it.
    """
    facts, fresh, owners = [np.zeros((0, 3), np.int64)], [np.zeros(0)], [np.zeros(0, np.int64)]
    places = np.arange(top)
    for relation, backwards, part in _groups(queries.relations, queries.backwards):
        target = finder.query_scorer.target(relation, backwards)
        if target is None:
            continue
        chosen = part[np.argsort(queries.entities[part], kind="stable")]
        sources = queries.entities[chosen]
        found = finder.find(target, _rows(finder, relation, backwards, sources), top=top, least=least, tick=tick)
        there = places < found.sizes[:, None]
        from_, to = np.repeat(sources, found.sizes), found.entities[there]
        head, tail = (to, from_) if backwards else (from_, to)
        facts.append(np.column_stack([head, np.full(head.size, relation), tail]))
        fresh.append(found.fresh[there])
        owners.append(np.repeat(chosen, found.sizes))
    return np.concatenate(facts), np.concatenate(fresh), np.concatenate(owners)


def fact_log_probabilities(
    finder: CandidateFinder, facts: IdArray, masked: IdArray, tick: Tick | None = None
) -> FloatArray:
    """Return joint and fresh log-probability of the tail, then of the head, and the rule confidence, [facts, 5].

    The confidence is the largest one of a rule that derives the fact, 0 where none does.

    Args:
        finder: Scores candidates.
        facts: Head, relation, tail, [facts, 3].
        masked: Relation of the fact between the same two entities that is masked, -1 for none, [facts].
        tick: Called with the number of queries done.
    """
    found = np.full((len(facts), 5), IMPOSSIBLE)
    found[:, 4] = 0.0
    graph = finder.query_scorer.graph
    for mask in np.unique(masked).tolist():
        rows = np.flatnonzero(masked == mask)
        for backwards in (False, True):
            step = -1 if mask < 0 else graph.step(mask, backwards)
            for relation, _, part in _groups(facts[rows, 1], np.full(rows.size, backwards)):
                target = finder.query_scorer.target(relation, backwards)
                if target is None:
                    continue
                own = rows[part]
                sources, wanted = facts[own, 2 if backwards else 0], facts[own, 0 if backwards else 2]
                order = np.lexsort((wanted, sources))
                asked, starts = np.unique(sources[order], return_index=True)
                if mask >= 0:
                    asked, starts = sources[order], np.arange(own.size)
                queries = _rows(finder, relation, backwards, asked)
                queries = queries._replace(wanted=wanted[order], wanted_offsets=np.append(starts, own.size))
                scored = finder.find(target, queries, masked=step, tick=tick)
                found[own[order], 2 * backwards] = scored.wanted_joint
                found[own[order], 2 * backwards + 1] = scored.wanted_fresh
                found[own[order], 4] = np.maximum(found[own[order], 4], scored.wanted_confidence)
    return found


def _groups(relations: IdArray, backwards: NDArray[np.bool_]) -> list[tuple[int, bool, IdArray]]:
    """Rows of each relation and direction."""
    keys = 2 * relations + backwards
    order = np.argsort(keys, kind="stable")
    values, starts = np.unique(keys[order], return_index=True)
    parts = np.split(order, starts[1:]) if values.size else []
    return [(int(key) // 2, bool(key % 2), part) for key, part in zip(values.tolist(), parts, strict=True)]


def _rows(finder: CandidateFinder, relation: int, backwards: bool, sources: IdArray) -> QueryRows:
    """Queries of one relation and direction, with their known answers and no wanted candidate."""
    known, offsets = finder.query_scorer.known.answers(sources, relation, backwards)
    return QueryRows(sources, known, offsets, np.zeros(0, np.int64), np.zeros(sources.size + 1, np.int64))
