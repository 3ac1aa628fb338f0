"""CandidateFinder: log-probabilities of candidates for many queries, on several threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import exp
from r5._util.runtime.threads import per_thread
from r5.chains.inference.candidate_kernels import (
    Biases,
    Found,
    QueryRows,
    Selection,
    Workspace,
    count_rules,
    find_candidates,
)
from r5.chains.inference.queries import PIECE, Piece
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.model import RelationModel
from r5.parallel.local_cluster import LocalCluster

__all__ = ["CandidateFinder", "Tick"]

FloatArray = NDArray[np.float64]
Result = TypeVar("Result")
Tick = Callable[[int], None]
"""Called with the number of queries done since the last call."""
_UNSEEN = 5.0
"""Predictions that are added to those of a rule, so that one with few does not count as certain."""


@dataclass(eq=False)
class CandidateFinder:
    """Runs the candidate kernel on a graph.

    Args:
        query_scorer: The model on a graph.
        threads: Number of threads; results do not depend on it.
    """

    query_scorer: QueryScorer
    threads: int = 1
    _biases: dict[int, Biases] = field(default_factory=dict)

    def find(
        self,
        target: RelationModel,
        queries: QueryRows,
        *,
        top: int = 0,
        least: float = -np.inf,
        masked: int = -1,
    ) -> Found:
        """Return the best new candidates of each query, and the log-probabilities of the wanted ones.

        Args:
            target: The relation and direction that the queries are about.
            queries: Sources, known answers and wanted candidates.
            top: Maximum number of candidates per query.
            least: Minimum log-probability of a candidate among new ones.
            masked: Step whose fact, from the source to the one wanted candidate of each query, is masked; -1 for none.
        """
        size = queries.sources.size
        found = Found(
            np.zeros(size, np.int64),
            np.zeros((size, top), np.int64),
            np.zeros((size, top)),
            np.zeros((size, top)),
            np.zeros(queries.wanted.size),
            np.zeros(queries.wanted.size),
            np.zeros(queries.wanted.size),
        )
        queries = _contiguous(queries)
        self.query_scorer.require_similar(target.step, queries.sources)
        biases = self._biases_of(target)
        confidences = self.query_scorer.model.confidences_of(target)
        rules, walk = self.query_scorer.target_rules(target), self.query_scorer.walk
        selection = Selection(int(masked), float(least))
        find_candidates(walk, rules, queries, selection, biases, confidences, self._workspace, found)
        return found

    def map(
        self, ask: Callable[[Piece], Result], pieces: Sequence[Piece], tick: Tick | None = None
    ) -> Iterator[tuple[Piece, Result]]:
        """Yield each piece with the result of a function that asks its queries, in order, on the threads.

        Args:
            ask: The function.
            pieces: Queries by target, as `split_queries` returns them.
            tick: Called as queries are done.
        """
        # Starting threads takes longer than a few queries.
        is_small = sum(piece.rows.size for piece in pieces) <= PIECE
        with LocalCluster(1 if is_small else self.threads) as pool:
            for piece, result in zip(pieces, pool.stream(ask, pieces), strict=True):
                if tick is not None:
                    tick(piece.rows.size)
                yield piece, result

    def confidences(self, target: RelationModel, queries: QueryRows) -> FloatArray:
        """Return the confidence of each rule, counted on the queries, as support / (predictions + 5)."""
        counts, space = np.zeros((len(target), 2)), self._workspace
        constants, walk = self.query_scorer.constants(target), self.query_scorer.walk
        count_rules(walk, target.trie, constants, _contiguous(queries), space.reached, space.is_known, counts)
        return np.asarray(counts[:, 0] / (counts[:, 1] + _UNSEEN))

    @per_thread
    def _workspace(self) -> Workspace:
        """Scratch arrays."""
        nodes = self.query_scorer.graph.number_of_nodes
        flags = np.zeros((2, nodes), bool)
        return Workspace(
            scores=np.zeros(nodes),
            confidence=np.zeros(nodes),
            touched=np.zeros(nodes, np.int32),
            is_touched=flags[0],
            is_known=flags[1],
            reached=self.query_scorer.workspace.reached,
        )

    def _biases_of(self, target: RelationModel) -> Biases:
        if target.step not in self._biases:
            scores = self.query_scorer.entity_bias(target)
            highest = float(scores.max(initial=0.0))
            total = float(np.cumsum(exp(scores - highest))[-1]) if scores.size else 0.0
            self._biases[target.step] = Biases(scores, highest, total)
        return self._biases[target.step]


def _contiguous(queries: QueryRows) -> QueryRows:
    """Return the arrays in one layout, since kernels are compiled for each layout."""
    return QueryRows(*map(np.ascontiguousarray, queries))
