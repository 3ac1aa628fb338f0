"""Ranks of held-out facts: link prediction metrics of a model on facts that it was not learned from."""

from __future__ import annotations

import numpy as np

from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.step_graph import IdArray, distinct
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.inference.ranking import rank_facts

__all__ = ["rank_held_out"]

_MAX_FACTS, _MAX_CANDIDATES = 300, 10_000_000
"""Maximum number of facts, and of candidates of all their queries; at least one fact is ranked."""


def rank_held_out(
    query_scorer: QueryScorer, held: IdArray, rng: np.random.Generator, threads: int = 1
) -> dict[str, float]:
    """Return `mrr`, `hits@10` and the number of `facts` over both queries of held-out facts; empty without facts.

    Ranks are filtered: other known and held-out answers are no candidates. Ties count half.

    Args:
        query_scorer: The model on the graph that it was learned from.
        held: Held-out facts, none of them in that graph, [facts, 3].
        rng: Draws the facts.
        threads: Number of threads; the result does not depend on it.
    """
    limit = min(_MAX_FACTS, max(_MAX_CANDIDATES // max(2 * query_scorer.graph.number_of_nodes, 1), 1))
    facts = rng.permutation(held)[:limit]
    if not len(facts):
        return {}
    known = KnownAnswers(distinct(np.concatenate([query_scorer.graph.facts, held])), len(query_scorer.graph.relations))
    ranked = list(rank_facts(query_scorer, facts, known, lambda *_: None, None, threads))
    ranks = np.concatenate([1 + part.better + part.equal / 2 for part in ranked])
    return {"mrr": float((1 / ranks).mean()), "hits@10": float((ranks <= 10).mean()), "facts": len(facts)}
