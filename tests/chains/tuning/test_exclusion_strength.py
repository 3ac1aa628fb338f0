"""How often candidates have the relation asked for counts as facts say that were not learned from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import r5
from r5.chains.graph.step_kernels import Hidden
from r5.chains.inference.scorer import NOTHING, Answerer
from r5.chains.model import Target
from r5.chains.tuning.exclusion_strength import _STRENGTHS, measure_usual, surest
from r5.chains.tuning.exclusions import find_rivals
from r5.chains.tuning.held_out import without
from r5.reasoners.chains import ChainReasoner


class Silent(Answerer):
    """Rules that say nothing: all that candidates differ in is how often they have a relation."""

    def said(self, target: Target, source: int, hidden: Hidden = NOTHING) -> np.ndarray:
        return np.zeros(self.graph.number_of_nodes)


def test_where_answers_are_usual_ones_that_counts_for_more_and_where_not_for_less() -> None:
    facts = [(f"h{i}", "likes", "popular" if i < 40 else f"t{i}") for i in range(60)]
    facts += [(f"h{i}", "knows", f"h{i + 1}") for i in range(59)]
    fitted = ChainReasoner(seed=0, epochs=1, rules=1).fit(r5.Graph.from_triples(facts))
    graph = fitted._answerer.graph
    likes = graph.relations.index("likes")
    liked = graph.facts[(graph.facts[:, 1] == likes) & (graph.facts[:, 2] == graph.entities.index("popular"))]
    answerer = Silent(without(graph, liked[:20]), fitted.model_)
    found = measure_usual(answerer, liked[:20], np.random.default_rng(0))
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
    answerer = Answerer(graph, replace(fitted.model_, rivals=find_rivals(graph)))
    target, source, answer, known = answerer.model.targets[0], 3, 4, np.array([4, 7])
    forces, strengths = np.array([0.0, 0.5, 2.0, 2.0]), np.array([1.0, 0.0, 0.0, -0.7])
    more = np.random.default_rng(0).normal(size=30)
    places = answerer.place(target, source, answer, known, forces, more, strengths)
    said, less = answerer.said(target, source), answerer.rivalry(target, source)
    assert answerer.rivals(target)[0]
    for place, force, strength in zip(places.tolist(), forces, strengths, strict=True):
        scores = np.round(said - force * less + strength * more, 7)
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
    assert surest(_STRENGTHS, gains.tolist(), 3.0) == 0.0
    gains[:, 3] += 0.05
    assert surest(_STRENGTHS, gains.tolist(), 3.0) == _STRENGTHS[3]
