"""HeldOutScores: scores of all candidates of the queries that held-out facts answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import exp
from r5.chains.graph.step_graph import IdArray
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.tuning.held_out import HeldOutQuery, held_out_queries, map_queries

__all__ = ["HeldOutScores", "score_held_out"]

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
_MIN_SHARE = 1e-4
"""Candidates with a smaller share of the probability are taken to be wrong."""
_MAX_SINGLE = 300
"""Maximum number of candidates of a query that are not binned."""
_BINS = 64


@dataclass(frozen=True, eq=False)
class HeldOutScores:
    """Candidates of queries, one query after the other and best first, without the known answers.

    Unlikely candidates are binned by score; the bins stand at the end of each query.
    """

    query: IdArray  # [candidates], query of each
    scores: FloatArray  # [candidates]
    counts: FloatArray  # [candidates], number of entities that each stands for
    is_answer: BoolArray  # [candidates], whether it is the answer to the query
    is_held_out: BoolArray  # [candidates], whether it is an answer of another held-out fact
    is_single: BoolArray  # [candidates], whether it is one entity, not a bin
    held_out_answers: IdArray  # [candidates], held-out answers of its query, except the answer and the candidate
    known_answers: IdArray  # [candidates], known answers of its query
    starts: IdArray  # [queries + 1], start of each query, and the end of the last

    def probabilities(self, temperature: float) -> FloatArray:
        """Return the softmax probability of one entity of each candidate at a temperature, [candidates]."""
        first = self.starts[:-1]
        weights = exp((self.scores - self.scores[first][self.query]) / temperature)
        total = np.bincount(self.query, self.counts * weights, first.size)
        return np.asarray(weights / total[self.query])

    def best(self, eligible: BoolArray) -> IdArray:
        """Return the best eligible candidate of each query, [queries]; each query must have one."""
        places = np.flatnonzero(eligible)
        return np.asarray(places[np.searchsorted(self.query[places], np.arange(self.starts.size - 1))])


def score_held_out(
    query_scorer: QueryScorer, held: IdArray, rng: np.random.Generator, limit: int, threads: int = 1
) -> HeldOutScores | None:
    """Score the candidates of both queries of held-out facts.

    `limit` is the maximum number of facts. None if there is no query.
    """
    queries = held_out_queries(query_scorer, held, rng, limit)
    if not queries:
        return None

    def columns(query: HeldOutQuery) -> tuple[NDArray[Any], ...]:
        known, every = query.known, query.answers
        entities, scores, counts = _candidates(query_scorer.scores(query.target, query.source).copy(), known)
        is_answer = entities == query.answer
        flags = query_scorer.workspace.flags  # faster than np.isin
        flags[every] = True
        is_held_out = flags[entities] & (entities >= 0) & ~is_answer
        flags[every] = False
        others = every.size - known.size - 1 - is_held_out
        return scores, counts, is_answer, is_held_out, entities >= 0, others, np.full(entities.size, known.size)

    parts = map_queries(columns, queries, threads)
    sizes = [part[0].size for part in parts]
    scores, counts, is_answer, is_held_out, is_single, others, known = (
        np.concatenate(part) for part in zip(*parts, strict=True)
    )
    return HeldOutScores(
        query=np.repeat(np.arange(len(parts)), sizes),
        scores=scores,
        counts=counts,
        is_answer=is_answer,
        is_held_out=is_held_out,
        is_single=is_single,
        held_out_answers=others,
        known_answers=known,
        starts=np.cumsum([0, *sizes]),
    )


def _candidates(scores: FloatArray, known: IdArray) -> tuple[IdArray, FloatArray, FloatArray]:
    """Return the candidates of a query, -1 for a bin, with the score and the number of entities of each."""
    scores[known] = -np.inf
    weights = exp(scores - scores.max())
    single = np.flatnonzero(weights > min(_MIN_SHARE * float(np.cumsum(weights)[-1]), 0.5))
    single = single[np.argsort(-weights[single], kind="stable")][:_MAX_SINGLE]
    weights[single] = 0.0
    rest = scores[weights > 0.0]
    if not rest.size:
        return single, scores[single], np.ones(single.size)
    low, width = rest.min(), max(float(rest.max() - rest.min()) / _BINS, 1e-9)
    counts = np.bincount(np.minimum((rest - low) / width, _BINS - 1).astype(np.int64), minlength=_BINS)
    bins = np.flatnonzero(counts)[::-1]
    entities = np.append(single, np.full(bins.size, -1))
    return (
        entities,
        np.append(scores[single], low + (bins + 0.5) * width),
        np.append(np.ones(single.size), counts[bins]),
    )
