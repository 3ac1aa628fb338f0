"""Ranks for several strengths at once, and the choice of a strength."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import r5
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.tuning.exclusion_strength import select_by_lower_bound
from r5.chains.tuning.exclusions import find_exclusions
from r5.reasoners.chains import ChainReasoner


def test_each_strength_has_the_rank_of_its_scores() -> None:
    facts = [(f"p{i}", ("near", "far")[d], f"p{(i + d + 1) % 30}") for i in range(30) for d in range(2)]
    fitted = ChainReasoner(seed=0, epochs=1).fit(r5.Graph.from_triples(facts))
    graph = fitted._scorer.graph
    query_scorer = QueryScorer(graph, replace(fitted.model_, exclusions=find_exclusions(graph)))
    target, source, answer, known = query_scorer.model.targets[0], 3, 4, np.array([4, 7])
    strengths = (0.0, 0.5, 2.0)
    ranks = query_scorer.rank_with_strengths(target, source, answer, known, strengths)
    rule_scores, penalty = query_scorer.rule_scores(target, source), query_scorer.exclusion_penalty(target, source)
    assert query_scorer.exclusions(target)[0]
    for rank, strength in zip(ranks.tolist(), strengths, strict=True):
        scores = np.round(rule_scores - strength * penalty, 7)
        others = np.delete(scores, known)
        assert rank == [int((others > scores[answer]).sum()), int((others == scores[answer]).sum())]


STRENGTHS = (0.0, -0.4, -0.2, 0.2, 0.4)


def test_gain_within_its_standard_error_is_ignored() -> None:
    gains = np.zeros((400, len(STRENGTHS)))
    gains[:, 1:] = 0.001 + 0.1 * (-1.0) ** np.arange(400)[:, None]
    assert select_by_lower_bound(STRENGTHS, gains.tolist()) == 0.0
    gains[:, 3] += 0.05
    assert select_by_lower_bound(STRENGTHS, gains.tolist()) == STRENGTHS[3]
