"""CandidateFinder: log-probabilities of candidates for many queries of one target, on several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import exp
from r5.chains.inference.candidate_kernels import (
    Biases,
    Found,
    QueryRows,
    Selection,
    Workspace,
    count_rules,
    find_candidates,
)
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.model import RelationModel
from r5.parallel.local_cluster import LocalCluster

__all__ = ["CandidateFinder", "Tick"]

FloatArray = NDArray[np.float64]
Tick = Callable[[int], None]
"""Called with the number of queries done since the last call."""
_UNSEEN = 5.0
"""Predictions that are added to those of a rule, so that one with few does not count as certain."""
_BATCH = 256
"""Queries of one call of the kernel: an interrupt is noticed between two."""


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
    _local: threading.local = field(default_factory=threading.local)

    def find(
        self,
        target: RelationModel,
        queries: QueryRows,
        *,
        top: int = 0,
        least: float = -np.inf,
        masked: int = -1,
        tick: Tick | None = None,
    ) -> Found:
        """Return the best new candidates of each query, and the log-probabilities of the wanted ones.

        Args:
            target: The relation and direction that the queries are about.
            queries: Sources, known answers and wanted candidates.
            top: Maximum number of candidates per query.
            least: Minimum log-probability of a candidate among new ones.
            masked: Step whose fact, from the source to the one wanted candidate of each query, is masked; -1 for none.
            tick: Called as queries are done.
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
        self.query_scorer.require_similar(target.step, queries.sources, self.threads)
        biases = self._biases_of(target)
        confidences = self.query_scorer.model.confidences_of(target)

        def run(first: int) -> int:
            query_scorer, space = self._scratch()
            rules = query_scorer.target_rules(target)
            part = slice(first, min(first + _BATCH, size))
            rows, into = _part(queries, found, part)
            selection = Selection(int(masked), float(least))
            find_candidates(query_scorer.walk, rules, rows, selection, biases, confidences, space, into)
            return part.stop - part.start

        def done(_: int, number: int) -> None:
            if tick is not None:
                tick(number)

        if size <= _BATCH:  # starting threads would take longer
            done(0, run(0))
            return found
        with LocalCluster(self.threads) as pool:
            pool.map(run, range(0, size, _BATCH), None, done)
        return found

    def confidences(self, target: RelationModel, queries: QueryRows) -> FloatArray:
        """Return the confidence of each rule, counted on the queries, as support / (predictions + 5)."""
        constants, trie, size = self.query_scorer.constants(target), target.trie, queries.sources.size

        def run(first: int) -> FloatArray:
            query_scorer, space = self._scratch()
            counts = np.zeros((len(target), 2))
            part = slice(first, min(first + _BATCH, size))
            rows = queries._replace(
                sources=queries.sources[part], known_offsets=queries.known_offsets[first : part.stop + 1]
            )
            count_rules(query_scorer.walk, trie, constants, rows, space.reached, space.is_known, counts)
            return counts

        with LocalCluster(self.threads) as pool:
            parts = pool.map(run, range(0, size, _BATCH))
        support, predictions = np.sum([np.zeros((len(target), 2)), *parts], axis=0).T  # whole numbers: exact
        return np.asarray(support / (predictions + _UNSEEN))

    def _scratch(self) -> tuple[QueryScorer, Workspace]:
        """Scratch arrays of this thread."""
        if not hasattr(self._local, "own"):
            nodes = self.query_scorer.graph.number_of_nodes
            flags = np.zeros((2, nodes), bool)
            query_scorer = self.query_scorer.for_thread()
            space = Workspace(
                scores=np.zeros(nodes),
                confidence=np.zeros(nodes),
                touched=np.zeros(nodes, np.int32),
                is_touched=flags[0],
                is_known=flags[1],
                reached=query_scorer.workspace.reached,
            )
            self._local.own = query_scorer, space
        own: tuple[QueryScorer, Workspace] = self._local.own
        return own

    def _biases_of(self, target: RelationModel) -> Biases:
        if target.step not in self._biases:
            scores = self.query_scorer.entity_bias(target)
            highest = float(scores.max(initial=0.0))
            total = float(np.cumsum(exp(scores - highest))[-1]) if scores.size else 0.0
            self._biases[target.step] = Biases(scores, highest, total)
        return self._biases[target.step]


def _part(queries: QueryRows, found: Found, part: slice) -> tuple[QueryRows, Found]:
    """Views of some queries; offsets keep counting from the whole arrays' start."""
    offsets = slice(part.start, part.stop + 1)
    rows = queries._replace(
        sources=queries.sources[part],
        known_offsets=queries.known_offsets[offsets],
        wanted_offsets=queries.wanted_offsets[offsets],
    )
    into = found._replace(
        sizes=found.sizes[part], entities=found.entities[part], joint=found.joint[part], fresh=found.fresh[part]
    )
    return rows, into
