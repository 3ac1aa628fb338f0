"""Features of a fact (h, r, t), from which its probability of being true is computed.

One is the largest confidence of a rule that derives the fact. Six come from the scores of both queries, (h, r, ?) and
(?, r, t); four from the answers that both have already; six from the relations that the graph has between the two
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
from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.knowledge.fact_index import FactIndex

__all__ = ["FEATURES", "LOWEST", "FactFeatures"]

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
_LEAST = 1e-3
"""Lower bound of the plausibility that an entity has a relation."""
LOWEST = -7.0
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
        tail_joint, tail_fresh, head_joint, head_fresh = np.clip(log_probabilities[:, :4], LOWEST, 0.0).T
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
            self._more(facts, tails, own, False),
            self._more(facts, heads, own, True),
            *self._given(facts, masked, False),
            *self._given(facts, masked, True),
        ]
        return np.column_stack(columns).astype(np.float64) if len(facts) else np.zeros((0, len(FEATURES)))

    def has(self, facts: IdArray) -> NDArray[np.bool_]:
        """Return whether the graph has each fact."""
        keys, sizes = self._keys, self._sizes
        wanted = facts @ sizes
        at = np.minimum(np.searchsorted(keys, wanted), max(keys.size - 1, 0))
        return keys[at] == wanted if keys.size else np.zeros(len(facts), bool)

    @cached_property
    def _sizes(self) -> IdArray:
        nodes = self.graph.number_of_nodes
        return np.array([nodes * len(self.graph.relations), nodes, 1])

    @cached_property
    def _keys(self) -> IdArray:
        """Facts as numbers, in order."""
        return np.sort(self.graph.facts @ self._sizes)

    def _answers(self, facts: IdArray, backwards: bool) -> IdArray:
        """Number of known answers of each fact's query."""
        return self.known.counts(facts[:, 2 if backwards else 0], facts[:, 1], backwards)

    @cached_property
    def _counts(self) -> IdArray:
        """Number of facts of each relation."""
        return np.bincount(self.graph.facts[:, 1], minlength=len(self.graph.relations))

    @cached_property
    def _answer_counts(self) -> tuple[IdArray, IdArray]:
        """Keys relation * (facts + 2) + number of answers, one for each query with an answer, in order; both ways."""
        found = []
        for side in (0, 2):
            pairs, counts = np.unique(self.graph.facts[:, [side, 1]], axis=0, return_counts=True)
            found.append(np.sort(pairs[:, 1] * (len(self.graph.facts) + 2) + counts))
        return found[0], found[1]

    def _more(self, facts: IdArray, known: IdArray, own: IdArray, backwards: bool) -> FloatArray:
        """Log of the probability that a query has more answers than those known.

        Of the queries of the relation with as many answers, the share that has more; for a query without an answer,
        the plausibility that the entity has the relation at all.
        """
        relations, keys = facts[:, 1], self._answer_counts[backwards]
        start = relations * (len(self.graph.facts) + 2)
        end = np.searchsorted(keys, start + len(self.graph.facts) + 2)
        as_many = end - np.searchsorted(keys, start + known)
        more = end - np.searchsorted(keys, start + known + 1) - own
        steps = np.array([self.graph.step(one, backwards) for one in range(len(self.graph.relations))], np.int64)
        first = self.plausibility.of(facts[:, 2 if backwards else 0], steps[relations], own > 0).astype(np.float64)
        return np.where(known > 0, log((more + 0.5) / (as_many + 1.0)), log(np.maximum(first, _LEAST)))

    @cached_property
    def between(self) -> FactIndex:
        """Relations between two entities."""
        return FactIndex(self.graph.facts, self.graph.number_of_nodes)

    def _pairs(self, facts: IdArray, backwards: bool) -> tuple[IdArray, IdArray]:
        """Return the relations that the graph has between two entities: the row of each, and the relation."""
        ends = (facts[:, 2], facts[:, 0]) if backwards else (facts[:, 0], facts[:, 2])
        return self.between.between(*ends)

    @cached_property
    def _together(self) -> tuple[tuple[IdArray, IdArray], tuple[IdArray, IdArray]]:
        """Keys relation * relations + other, in order, and the number of pairs with both; forwards and backwards."""
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
            kept = masked[row] != other
            row, other = row[kept], other[kept]
        relation = facts[row, 1]
        own = (masked[row] == relation).astype(np.int64)
        keys, counts = self._together[backwards]
        wanted = relation * len(self.graph.relations) + other
        at = np.minimum(np.searchsorted(keys, wanted), max(keys.size - 1, 0))
        both = np.where(keys[at] == wanted, counts[at], 0) if keys.size else np.zeros(row.size, np.int64)
        both = np.maximum(both - own * np.where((other == relation) & backwards, 2, 1), 0)
        usual = self._counts[relation] / max(len(self.graph.facts), 1)
        given = log((both + np.maximum(usual, 1e-6)) / (np.maximum(self._counts[other] - own, both) + 1.0))
        least, most = np.zeros(len(facts)), np.full(len(facts), -np.inf)
        np.minimum.at(least, row, given)
        np.maximum.at(most, row, given)
        size = np.bincount(row, minlength=len(facts))
        return [log(1.0 + size), least, np.where(size > 0, most, 0.0)]
