"""ChainRanking: ranks of the correct answers among all entities."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from r5._util.runtime.progress import ProgressCounter
from r5._util.runtime.threads import usable_threads
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.step_graph import StepGraph, distinct
from r5.chains.inference.ranking import rank_facts
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph
from r5.parallel.cluster import Cluster
from r5.ranking import RankCounts
from r5.reasoners.base import ProgressCallback
from r5.reasoners.chain_queries.facts import named_facts
from r5.reasoners.chain_queries.fitted import FittedChains

__all__ = ["ChainRanking"]


class ChainRanking(FittedChains):
    """Ranking of held-out facts."""

    def rank_answers(
        self,
        examples: Examples,
        known: Iterable[Examples | Graph] = (),
        progress: ProgressCallback | None = None,
        cluster: Cluster | None = None,
        graph: Graph | None = None,
    ) -> RankCounts:
        """Return the ranks of the correct answers among all entities, for `r5.rank`.

        Queries about a relation that the model does not know have the last rank.

        Args:
            examples: Facts to rank, each as a tail query and as a head query.
            known: Further known facts, which are filtered out.
            progress: Called as queries are ranked.
            cluster: Workers that rank parts of the queries; the ranks do not depend on it.
            graph: The graph that queries are answered on; the training graph by default.

        """
        self._check_fitted()
        others = list(known)
        steps, query_scorer = self._with_entities(examples.pool, graph)
        queried = named_facts(examples, steps, answers_only=True)
        _check_queries(queried, steps, examples)
        facts = [steps.facts, queried, *(named_facts(other, steps) for other in [examples, *others])]
        true = np.concatenate(facts)
        facts_known = KnownAnswers(distinct(true[true[:, 1] >= 0]), len(steps.relations))
        better, equal = np.full((len(queried), 2), steps.number_of_nodes - 1), np.zeros((len(queried), 2), np.int64)
        rows = np.flatnonzero(queried[:, 1] >= 0)
        counted = ProgressCounter(progress, 2 * rows.size)
        for part in rank_facts(query_scorer, queried[rows], facts_known, counted, cluster, usable_threads()):
            better[rows[part.rows], part.side], equal[rows[part.rows], part.side] = part.better, part.equal
        return RankCounts(better, equal)


def _check_queries(queried: NDArray[np.int64], steps: StepGraph, examples: Examples) -> None:
    """Warn of facts that bias the ranks: known facts, and facts with an unknown entity or relation.

    Raises:
        R5Error: No fact has a known relation, or none has a known entity.
    """
    if not len(queried):
        return
    unknown = queried[:, 1] < 0
    if unknown.any():
        found = examples.vocabulary.names(np.unique(examples.answers[unknown]))
        names = ", ".join(map(repr, found[:5])) + (f" and {len(found) - 5} more" if len(found) > 5 else "")
        if unknown.all():
            raise R5Error(f"the model has no rules for any relation of the facts: {names}")
        text = f"{unknown.sum():,} of the facts have a relation that the model does not know, {names}: ranked last"
        warnings.warn(text, UserWarning, stacklevel=4)
    together = np.concatenate([steps.facts, distinct(queried[~unknown])])
    inside = len(together) - len(distinct(together))
    used = np.zeros(steps.number_of_nodes, dtype=bool)
    used[steps.facts[:, [0, 2]]] = True
    unseen = ~used[queried[:, [0, 2]]]
    if unseen.all():
        raise R5Error(
            "none of the entities of the facts is in the graph; give the graph that they are in (graph=..., or --graph)"
        )
    if inside:
        warnings.warn(f"{inside:,} of the facts to rank are in the graph", UserWarning, stacklevel=4)
    if unseen.any():
        text = f"{unseen.any(axis=1).sum():,} of the facts to rank have an entity that the graph says nothing about"
        warnings.warn(text, UserWarning, stacklevel=4)
