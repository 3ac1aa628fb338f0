"""How often candidates have the relation asked for counts as facts say that were not learned from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import r5
from r5.chains.graph.step_kernels import Mask
from r5.chains.inference.query_scorer import NO_MASK, QueryScorer
from r5.chains.model import Target
from r5.chains.tuning.exclusion_strength import _STRENGTHS, measure_usual, surest_gain
from r5.chains.tuning.exclusions import find_exclusions
from r5.chains.tuning.held_out import remove_facts
from r5.reasoners.chains import ChainReasoner


class Silent(QueryScorer):
    """Rules that say nothing: all that candidates differ in is how often they have a relation."""

    def rule_scores(self, target: Target, source: int, mask: Mask = NO_MASK) -> np.ndarray:
        return np.zeros(self.graph.number_of_nodes)


def test_where_answers_are_usual_ones_that_counts_for_more_and_where_not_for_less() -> None:
    facts = [(f"h{i}", "likes", "popular" if i < 40 else f"t{i}") for i in range(60)]
    facts += [(f"h{i}", "knows", f"h{i + 1}") for i in range(59)]
    fitted = ChainReasoner(seed=0, epochs=1, rules=1).fit(r5.Graph.from_triples(facts))
    graph = fitted._answerer.graph
    likes = graph.relations.index("likes")
    liked = graph.facts[(graph.facts[:, 1] == likes) & (graph.facts[:, 2] == graph.entities.index("popular"))]
    query_scorer = Silent(remove_facts(graph, liked[:20]), fitted.model_)
    found = measure_usual(query_scorer, liked[:20], np.random.default_rng(0))
    for step, old in fitted.model_.targets.items():
        more = found.targets[step].weights.steps - old.weights.steps
        where = [(int(graph.steps.inverse[step]), 2)]
        assert list(zip(*np.nonzero(more), strict=True)) == where
        # The one who is liked by most is an answer; those who like somebody already like nobody else.
        assert (more[where[0]] > 0) == (step < len(graph.relations))
        assert np.array_equal(found.targets[step].weights.rules, old.weights.rules)


def test_each_force_and_strength_has_the_place_of_its_scores() -> None:
    facts = [(f"p{i}", ("near", "far")[d], f"p{(i + d + 1) % 30}") for i in range(30) for d in range(2)]
    fitted = ChainReasoner(seed=0, epochs=1).fit(r5.Graph.from_triples(facts))
    graph = fitted._answerer.graph
    query_scorer = QueryScorer(graph, replace(fitted.model_, exclusions=find_exclusions(graph)))
    target, source, answer, known = query_scorer.model.targets[0], 3, 4, np.array([4, 7])
    strengths, offset_strengths = np.array([0.0, 0.5, 2.0, 2.0]), np.array([1.0, 0.0, 0.0, -0.7])
    more = np.random.default_rng(0).normal(size=30)
    places = query_scorer.place(target, source, answer, known, strengths, more, offset_strengths)
    rule_scores, less = query_scorer.rule_scores(target, source), query_scorer.exclusion_penalty(target, source)
    assert query_scorer.exclusions(target)[0]
    for place, strength, offset_strength in zip(places.tolist(), strengths, offset_strengths, strict=True):
        scores = np.round(rule_scores - strength * less + offset_strength * more, 7)
        others = np.delete(scores, known)
        assert place == [int((others > scores[answer]).sum()), int((others == scores[answer]).sum())]


def test_nothing_changes_without_facts() -> None:
    fitted = ChainReasoner(seed=0, epochs=1).fit(r5.Graph.from_triples([("a", "r", "b"), ("b", "r", "c")]))
    found = measure_usual(fitted._answerer, fitted._answerer.graph.facts[:0], np.random.default_rng(0))
    assert all(found.targets[step] is target for step, target in fitted.model_.targets.items())


def test_chance_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    gains = np.zeros((400, len(_STRENGTHS)))
    gains[:, 1:] = rng.normal(0.001, 0.1, (400, len(_STRENGTHS) - 1))
    assert surest_gain(_STRENGTHS, gains.tolist(), 3.0) == 0.0
    gains[:, 3] += 0.05
    assert surest_gain(_STRENGTHS, gains.tolist(), 3.0) == _STRENGTHS[3]
