"""How often candidates have the relation asked for counts as facts say that were not learned from."""

from __future__ import annotations

import numpy as np

import r5
from r5.chains.answering import NOTHING, Answerer
from r5.chains.choosing import without
from r5.chains.giving_way import _STRENGTHS, measure_usual, surest
from r5.chains.model import Target
from r5.chains.step_kernels import Hidden
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
