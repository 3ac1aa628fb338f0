"""FactScorer: the probability of facts on a graph. Every part of the product that shows a probability asks it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5.chains.calibration.fact_features import LEAST, FactFeatures
from r5.chains.graph.step_graph import IdArray
from r5.chains.inference.candidates import CandidateFinder, Tick
from r5.chains.inference.log_probabilities import IMPOSSIBLE, fact_log_probabilities
from r5.chains.inference.query_scorer import QueryScorer

__all__ = ["PLAUSIBLE", "FactScorer", "ScoredFacts"]

FloatArray = NDArray[np.float64]
PLAUSIBLE = 0.1
"""Minimum probability of a new relation, or of a replacement, that is offered without having been asked for."""


@dataclass(frozen=True, eq=False)
class ScoredFacts:
    """Facts with their probabilities."""

    facts: IdArray  # [facts, 3]
    probabilities: FloatArray  # [facts]
    log_probabilities: FloatArray  # [facts, 5], as `fact_log_probabilities` returns them
    in_graph: NDArray[np.bool_]  # [facts]

    def select(self, chosen: IdArray | NDArray[np.bool_]) -> ScoredFacts:
        """Return some of the facts."""
        return ScoredFacts(
            self.facts[chosen], self.probabilities[chosen], self.log_probabilities[chosen], self.in_graph[chosen]
        )


@dataclass(eq=False)
class FactScorer:
    """Computes P(fact is true).

    The probability of a fact that the graph has is what the rest of the graph says: the fact is masked.

    Args:
        query_scorer: The model on a graph.
        threads: Number of threads; results do not depend on it.
    """

    query_scorer: QueryScorer
    threads: int = 1
    finder: CandidateFinder = field(init=False)

    def __post_init__(self) -> None:
        self.finder = CandidateFinder(self.query_scorer, self.threads)

    @cached_property
    def features(self) -> FactFeatures:
        """Features of facts on this graph."""
        return FactFeatures(self.query_scorer.graph, self.query_scorer.known, self.query_scorer.plausibility)

    def score(self, facts: IdArray, masked: IdArray | None = None, tick: Tick | None = None) -> ScoredFacts:
        """Return the probabilities of facts; 0 where no plausible query leads to the fact.

        Args:
            facts: Head, relation, tail, [facts, 3].
            masked: Relation of a fact between the same two entities that must not be used, -1 for none, [facts].
            tick: Called with the number of queries done; there are two for each fact at the most.
        """
        in_graph = self.query_scorer.graph.has(facts)
        mask = np.where(in_graph, facts[:, 1], -1 if masked is None else masked)
        logs = fact_log_probabilities(self.finder, facts, mask, tick)
        found = self.query_scorer.model.facts.probabilities(self.features.of(facts, logs, mask))
        found[~self._is_candidate(facts, logs, in_graph)] = 0.0
        # Rounded, so that lists are ordered by the very number that they show.
        return ScoredFacts(facts, np.round(found, 9), logs, in_graph)

    def _is_candidate(self, facts: IdArray, logs: FloatArray, in_graph: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return whether each fact is a likely answer of a plausible query, and its types fit on both sides.

        The calibration is fitted on such facts, and says nothing about others.
        """
        graph, plausibility = self.query_scorer.graph, self.query_scorer.plausibility
        head = plausibility.of(facts[:, 0], facts[:, 1], in_graph)
        tail = plausibility.of(facts[:, 2], graph.steps_along(facts[:, 1], True), in_graph)
        likely = ((head > plausibility.least) & (logs[:, 1] >= LEAST)) | (
            (tail > plausibility.least) & (logs[:, 3] >= LEAST)
        )
        return np.asarray(likely & (head > 0.0) & (tail > 0.0) & (logs[:, :4] > IMPOSSIBLE).all(axis=1))

    def order(self, scored: ScoredFacts) -> IdArray:
        """Return the order of facts by probability, then by log-probabilities, then by relation and names."""
        names = self.query_scorer.name_order
        head, relation, tail = scored.facts.T
        logs = np.round(scored.log_probabilities[:, [1, 3]].sum(axis=1), 6)
        return np.lexsort((names[tail], names[head], relation, -logs, -scored.probabilities))
