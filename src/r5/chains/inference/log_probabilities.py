"""Log-probabilities of facts from both ends: of the tail given head and relation, and of the head."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5.chains.calibration.fact_features import LEAST
from r5.chains.graph.step_graph import IdArray
from r5.chains.inference.candidate_kernels import Found, QueryRows
from r5.chains.inference.candidates import CandidateFinder, Tick
from r5.chains.inference.queries import Piece, Queries, split_queries

__all__ = ["IMPOSSIBLE", "fact_log_probabilities", "new_candidates"]

FloatArray = NDArray[np.float64]
IMPOSSIBLE = -1e9
"""Log-probability where the model has no target for the query."""


def new_candidates(
    finder: CandidateFinder, queries: Queries, top: int = 10, tick: Tick | None = None
) -> tuple[IdArray, FloatArray, IdArray]:
    """Return facts that the rules derive and the graph lacks: those found by each query, best first.

    Args:
        finder: Scores candidates.
        queries: What is asked.
        top: Maximum number of facts per query.
        tick: Called with the number of queries done.

    Returns:
        Facts, [facts, 3], not distinct: a fact may be found from both ends; the `fresh` log-probability of each;
        and the number of the query that found it.
    """
    facts, fresh, owners = [np.zeros((0, 3), np.int64)], [np.zeros(0)], [np.zeros(0, np.int64)]
    places = np.arange(top)
    # Queries of one entity side by side read the same part of the graph.
    order = np.argsort(queries.entities, kind="stable")

    def ask(piece: Piece) -> tuple[IdArray, FloatArray, IdArray] | None:
        target = finder.query_scorer.target(piece.relation, piece.backwards)
        if target is None:
            return None
        chosen = order[piece.rows]
        sources = queries.entities[chosen]
        found = finder.find(target, _rows(finder, piece.relation, piece.backwards, sources), top=top, least=LEAST)
        there = places < found.sizes[:, None]
        from_, to = np.repeat(sources, found.sizes), found.entities[there]
        head, tail = (to, from_) if piece.backwards else (from_, to)
        own = np.column_stack([head, np.full(head.size, piece.relation), tail])
        return own, found.fresh[there], np.repeat(chosen, found.sizes)

    pieces = split_queries(queries.relations[order], queries.backwards[order])
    for _, found in finder.map(ask, pieces, tick):
        if found is not None:
            facts.append(found[0])
            fresh.append(found[1])
            owners.append(found[2])
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
        for backwards in (False, True):
            rows = np.flatnonzero(masked == mask)
            sources, wanted = facts[rows, 2 if backwards else 0], facts[rows, 0 if backwards else 2]
            rows = rows[np.lexsort((wanted, sources))]
            step = -1 if mask < 0 else graph.step(mask, backwards)

            def ask(piece: Piece, rows: IdArray = rows, step: int = step) -> Found | None:
                return _score_facts(finder, facts[rows[piece.rows]], piece, step)

            pieces = split_queries(facts[rows, 1], np.full(rows.size, backwards))
            for piece, scored in finder.map(ask, pieces, tick):
                if scored is not None:
                    own = rows[piece.rows]
                    found[own, 2 * backwards] = scored.wanted_joint
                    found[own, 2 * backwards + 1] = scored.wanted_fresh
                    found[own, 4] = np.maximum(found[own, 4], scored.wanted_confidence)
    return found


def _score_facts(finder: CandidateFinder, facts: IdArray, piece: Piece, masked: int) -> Found | None:
    """Score facts of one relation from one end, sorted by that end; None without a target.

    Args:
        finder: Scores candidates.
        facts: Head, relation, tail, [facts, 3].
        piece: Their relation and the end.
        masked: Step whose fact is masked, each by itself; -1 for none.
    """
    target = finder.query_scorer.target(piece.relation, piece.backwards)
    if target is None:
        return None
    sources, wanted = facts[:, 2 if piece.backwards else 0], facts[:, 0 if piece.backwards else 2]
    asked, starts = (sources, np.arange(sources.size)) if masked >= 0 else np.unique(sources, return_index=True)
    queries = _rows(finder, piece.relation, piece.backwards, asked)
    queries = queries._replace(wanted=wanted, wanted_offsets=np.append(starts, sources.size))
    return finder.find(target, queries, masked=masked)


def _rows(finder: CandidateFinder, relation: int, backwards: bool, sources: IdArray) -> QueryRows:
    """Queries of one relation and direction, with their known answers and no wanted candidate."""
    known, offsets = finder.query_scorer.known.answers(sources, relation, backwards)
    return QueryRows(sources, known, offsets, np.zeros(0, np.int64), np.zeros(sources.size + 1, np.int64))
