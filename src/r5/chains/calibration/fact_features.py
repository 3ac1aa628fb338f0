"""Features of a fact (h, r, t), from which its probability of being true is computed.

One feature is the largest confidence of a rule that derives the fact. Six come from the scores of both queries,
(h, r, ?) and (?, r, t); four from the known answers of both; six from the relations that the graph has between the two
entities, which make r likely or exclude it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import log
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.plausibility import StepPlausibility
from r5.chains.graph.step_graph import IdArray, StepGraph, find_sorted
from r5.knowledge.fact_index import FactIndex

__all__ = ["FEATURES", "LEAST", "FactFeatures"]

FloatArray = NDArray[np.float64]
FEATURES = (
    "confidence",
    "tail_joint",
    "head_joint",
    "largest_joint",
    "smallest_joint",
    "tail_fresh",
    "head_fresh",
    "known_tails",
    "known_heads",
    "more_tails",
    "more_heads",
    "between",
    "least_given",
    "most_given",
    "between_back",
    "least_given_back",
    "most_given_back",
)
"""Names of the columns."""
_MIN_PLAUSIBILITY = 1e-3
"""Lower bound of the plausibility that an entity has a relation."""
LEAST = -7.0
"""Lower bound of a log-probability: below it an answer is no candidate."""


@dataclass(frozen=True, eq=False)
class FactFeatures:
    """Computes features of facts on a graph.

    Args:
        graph: The graph that the facts are judged by.
        known: Its facts as known answers of queries.
        plausibility: Which relations entities plausibly have.
    """

    graph: StepGraph
    known: KnownAnswers
    plausibility: StepPlausibility

    def of(self, facts: IdArray, log_probabilities: FloatArray, masked: IdArray) -> FloatArray:
        """Return the features of facts, [facts, 17].

        Args:
            facts: Head, relation, tail, [facts, 3].
            log_probabilities: As `fact_log_probabilities` returns them, [facts, 5].
            masked: Relation of the fact between the same two entities that is masked, -1 for none, [facts]. What it
                adds to any count is left out.
        """
        tail_joint, tail_fresh, head_joint, head_fresh = np.clip(log_probabilities[:, :4], LEAST, 0.0).T
        own = (masked == facts[:, 1]).astype(np.int64)
        tails, heads = (self._answers(facts, backwards) - own for backwards in (False, True))
        columns = [
            log_probabilities[:, 4],
            tail_joint,
            head_joint,
            np.maximum(tail_joint, head_joint),
            np.minimum(tail_joint, head_joint),
            tail_fresh,
            head_fresh,
            log(1.0 + tails),
            log(1.0 + heads),
            self._log_more(facts, tails, own, False),
            self._log_more(facts, heads, own, True),
            *self._given(facts, masked, False),
            *self._given(facts, masked, True),
        ]
        return np.column_stack(columns).astype(np.float64) if len(facts) else np.zeros((0, len(FEATURES)))

    def _answers(self, facts: IdArray, backwards: bool) -> IdArray:
        """Number of known answers of each fact's query."""
        return self.known.counts(facts[:, 2 if backwards else 0], facts[:, 1], backwards)

    @cached_property
    def _counts(self) -> IdArray:
        """Number of facts of each relation, [relations]."""
        return np.bincount(self.graph.facts[:, 1], minlength=len(self.graph.relations))

    @cached_property
    def _answer_counts(self) -> tuple[IdArray, IdArray]:
        """Sorted keys relation * (facts + 2) + answers of all answered queries, for each direction."""
        found = []
        for side in (0, 2):
            pairs, counts = np.unique(self.graph.facts[:, [side, 1]], axis=0, return_counts=True)
            found.append(np.sort(pairs[:, 1] * (len(self.graph.facts) + 2) + counts))
        return found[0], found[1]

    def _log_more(self, facts: IdArray, known: IdArray, own: IdArray, backwards: bool) -> FloatArray:
        """Log of the probability that a query has more answers than those known.

        It is the share of queries with more answers, among those of the relation with at least as many as known. For a
        query without an answer, it is the plausibility that the entity has the relation at all.
        """
        relations, keys = facts[:, 1], self._answer_counts[backwards]
        start = relations * (len(self.graph.facts) + 2)
        end = np.searchsorted(keys, start + len(self.graph.facts) + 2)
        at_least = end - np.searchsorted(keys, start + known)
        more = end - np.searchsorted(keys, start + known + 1) - own
        steps = self.graph.steps_along(relations, backwards)
        first = self.plausibility.of(facts[:, 2 if backwards else 0], steps, own > 0).astype(np.float64)
        return np.where(known > 0, log((more + 0.5) / (at_least + 1.0)), log(np.maximum(first, _MIN_PLAUSIBILITY)))

    @cached_property
    def between(self) -> FactIndex:
        """Relations between two entities."""
        return FactIndex(self.graph.facts, self.graph.number_of_nodes)

    def _pairs(self, facts: IdArray, backwards: bool) -> tuple[IdArray, IdArray]:
        """Return the relations between head and tail of each fact: the number of the fact, and the relation."""
        ends = (facts[:, 2], facts[:, 0]) if backwards else (facts[:, 0], facts[:, 2])
        return self.between.between(*ends)

    @cached_property
    def _pair_counts(self) -> tuple[tuple[IdArray, IdArray], tuple[IdArray, IdArray]]:
        """Sorted keys relation * relations + other, and the pairs with both, for each direction of the other."""
        found = []
        for backwards in (False, True):
            row, other = self._pairs(self.graph.facts, backwards)
            keys = self.graph.facts[row, 1] * len(self.graph.relations) + other
            found.append(np.unique(keys, return_counts=True))
        return found[0], found[1]

    def _given(self, facts: IdArray, masked: IdArray, backwards: bool) -> list[FloatArray]:
        """Number of other relations between the two, and the least and largest log P(r | the pair has the other)."""
        row, other = self._pairs(facts, backwards)
        if not backwards:
            unmasked = masked[row] != other
            row, other = row[unmasked], other[unmasked]
        relation = facts[row, 1]
        own = (masked[row] == relation).astype(np.int64)
        keys, counts = self._pair_counts[backwards]
        at = find_sorted(keys, relation * len(self.graph.relations) + other)
        both = np.append(counts, 0)[at]  # 0 at -1
        both = np.maximum(both - own * np.where((other == relation) & backwards, 2, 1), 0)
        prior = self._counts[relation] / max(len(self.graph.facts), 1)
        given = log((both + np.maximum(prior, 1e-6)) / (np.maximum(self._counts[other] - own, both) + 1.0))
        least, most = np.zeros(len(facts)), np.full(len(facts), -np.inf)
        np.minimum.at(least, row, given)
        np.maximum.at(most, row, given)
        size = np.bincount(row, minlength=len(facts))
        return [log(1.0 + size), least, np.where(size > 0, most, 0.0)]
