"""Looking: what a model says about facts that it has not learned from, the candidates of all questions in one row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import exp
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.step_graph import IdArray, distinct
from r5.chains.inference.query_pool import map_queries
from r5.chains.inference.query_scorer import QueryScorer

__all__ = ["HeldOutScores", "Query", "held_out_queries", "score_held_out"]

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Query = tuple[int, int, bool]
"""Source, relation, backwards."""

_CANDIDATES, _FEWEST = 100_000_000, 100
"""So many candidates are asked for in all, but so many facts at least."""
_NEAR = 1e-4
"""Candidates with a smaller share are taken to be wrong, ..."""
_APART = 300
"""... and no more than so many are looked at one by one."""
_BINS = 64


@dataclass(frozen=True, eq=False)
class HeldOutScores:
    """Candidates, those of a question side by side, the best first; facts that the model knows aside.

    The unlikely ones stand at the end of each question, several with about the same score in one.
    """

    owner: IdArray  # the question of each
    scores: FloatArray
    counts: FloatArray  # how many candidates each is
    answer: BoolArray  # whether it is the answer asked for
    taken: BoolArray  # whether it is an answer of another fact that was not learned from
    likely: BoolArray  # whether it stands for itself
    others: IdArray  # so many answers of its question were not learned from, this one and the one asked for aside
    known: IdArray  # so many answers of its question the model knows
    starts: IdArray  # where the candidates of each question start, and the last ones end

    def shares(self, temperature: float) -> FloatArray:
        """How likely each candidate is the answer, at a temperature."""
        first = self.starts[:-1]
        weights = exp((self.scores - self.scores[first][self.owner]) / temperature)
        total = np.bincount(self.owner, self.counts * weights, first.size)
        return np.asarray(weights / total[self.owner])

    def first(self, stays: BoolArray) -> IdArray:
        """The place of the best candidate of each question that is not left out; one is left of each."""
        places = np.flatnonzero(stays)
        return np.asarray(places[np.searchsorted(self.owner[places], np.arange(self.starts.size - 1))])


def score_held_out(
    query_scorer: QueryScorer, held: IdArray, rng: np.random.Generator, most: int, threads: int = 1
) -> HeldOutScores | None:
    """What a model says about some facts that its graph does not have, from both ends; None where there are none."""
    graph = query_scorer.graph
    every = KnownAnswers(distinct(np.concatenate([graph.facts, held])), len(graph.relations))
    asked = held_out_queries(query_scorer, held, rng, most)
    if not asked:
        return None

    def columns(one: tuple[Query, int], query_scorer: QueryScorer) -> tuple[NDArray[Any], ...]:
        (source, relation, backwards), answer = one
        known, there = (some.of(source, relation, backwards) for some in (query_scorer.known, every))
        near, scores, counts = _candidates(query_scorer, one[0], known)
        is_answer = near == answer
        flags = query_scorer.workspace.flags  # quicker than looking each up
        flags[there] = True
        taken = flags[near] & (near >= 0) & ~is_answer
        flags[there] = False
        others = there.size - known.size - 1 - taken
        return scores, counts, is_answer, taken, near >= 0, others, np.full(near.size, known.size)

    parts = map_queries([query_scorer], columns, asked, threads)
    sizes = [part[0].size for part in parts]
    owner, starts = np.repeat(np.arange(len(parts)), sizes), np.cumsum([0, *sizes])
    scores, counts, answer, taken, likely, others, known = (np.concatenate(part) for part in zip(*parts, strict=True))
    return HeldOutScores(owner, scores, counts, answer, taken, likely, others, known, starts)


def held_out_queries(
    query_scorer: QueryScorer, facts: IdArray, rng: np.random.Generator, most: int
) -> list[tuple[Query, int]]:
    """Questions about some of the facts, from both ends, with their answers, where the model can be asked."""
    found: list[tuple[Query, int]] = []
    most = min(most, max(_CANDIDATES // max(query_scorer.graph.number_of_nodes, 1), _FEWEST))
    for head, relation, tail in rng.permutation(facts)[:most].tolist():
        for backwards, source, answer in ((False, head, tail), (True, tail, head)):
            if query_scorer.target(relation, backwards) is not None:
                found.append(((source, relation, backwards), answer))
    return found


def _candidates(query_scorer: QueryScorer, query: Query, known: IdArray) -> tuple[IdArray, FloatArray, FloatArray]:
    """The likeliest candidates, -1 for several others of about the same score, their scores and how many each is."""
    source, relation, backwards = query
    scores = query_scorer.scores(
        query_scorer.model.targets[query_scorer.graph.step(relation, backwards)], source
    ).copy()
    scores[known] = -np.inf
    weights = exp(scores - scores.max())
    near = np.flatnonzero(weights > min(_NEAR * float(np.cumsum(weights)[-1]), 0.5))
    near = near[np.argsort(-weights[near], kind="stable")][:_APART]
    weights[near] = 0.0
    far = scores[weights > 0.0]
    if not far.size:
        return near, scores[near], np.ones(near.size)
    low, width = far.min(), max(float(far.max() - far.min()) / _BINS, 1e-9)
    counts = np.bincount(np.minimum((far - low) / width, _BINS - 1).astype(np.int64), minlength=_BINS)
    some = np.flatnonzero(counts)[::-1]
    entities = np.append(near, np.full(some.size, -1))
    return entities, np.append(scores[near], low + (some + 0.5) * width), np.append(np.ones(near.size), counts[some])
