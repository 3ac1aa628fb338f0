"""Relations with few facts start from the mean weights of rules of their kind."""

from __future__ import annotations

import numpy as np

import r5
from r5.chains.graph.step_graph import StepGraph
from r5.chains.model import RelationModel
from r5.chains.training.initial_weights import InitialWeights
from r5.chains.training.weight_kernels import Weights
from r5.reasoners.chains import ChainReasoner

FACTS = [("a", "likes", "b"), ("b", "likes", "a"), ("c", "likes", "d"), ("d", "likes", "c")]
FACTS += [("a", "owns", "x"), ("x", "owned_by", "a"), ("c", "owns", "y"), ("y", "owned_by", "c")]


def graph_of(facts: list[tuple[str, str, str]]) -> StepGraph:
    return StepGraph.of(r5.Graph.from_triples(facts), tuple(sorted({fact[1] for fact in facts})))


def target(graph: StepGraph, step: int, bodies: list[tuple[int, ...]], weights: list[float]) -> RelationModel:
    """Return a trained target whose rules have the same three weights each."""
    rules = np.repeat(np.array(weights)[:, None], 3, axis=1)
    nothing = np.zeros((graph.number_of_steps, 3)), np.zeros(1)
    return RelationModel(step, tuple(bodies), np.zeros((0, 4), np.int64), Weights(rules, *nothing))


def test_weights_are_means_by_kind_of_the_rules_that_speak_for_answers() -> None:
    graph = graph_of(FACTS)
    likes, owned, owns = range(3)
    back = graph.step(owns, True)
    trained = [
        target(graph, likes, [(likes,), (owns,)], [8.0, -3.0]),
        target(graph, owns, [(graph.step(owned, True),), (back,), (owns, back)], [2.0, 4.5, 9.0]),
    ]
    weights = InitialWeights.of(graph, trained).weights
    # Two rules with the usual weight, 2, 1.5 and 0.1, count in each mean.
    assert weights["symmetric"].tolist() == [4.0, 4.0, 4.0]
    assert weights["inverse"].tolist() == [2.5, 2.5, 2.5]
    assert np.allclose(weights["single"], 2.2 / 3, rtol=0, atol=1e-12)


def test_rules_that_connect_no_fact_and_longer_rules_start_from_zero() -> None:
    graph = graph_of(FACTS)
    likes, _, owns = range(3)
    bodies = [(likes,), (owns,), (owns, graph.step(owns, True))]
    found = InitialWeights().for_rules(graph, likes, bodies, np.array([True, False, True]))
    assert found.tolist() == [[2.0] * 3, [0.0] * 3, [0.0] * 3]


def test_two_facts_of_a_symmetric_relation_are_enough_to_use_it() -> None:
    chain = [(f"p{n}", "next", f"p{n + 1}") for n in range(60)]
    couple = [("p3", "married", "p9"), ("p9", "married", "p3")]
    model = ChainReasoner(seed=0).fit(r5.Graph.from_triples(chain + couple))
    others = [(f"q{n}", "next", f"q{n + 1}") for n in range(30)] + [("q4", "married", "q20")]
    graph = r5.Graph.from_triples(others)
    (best,) = model.complete(graph, head="q20", relation="married", top=1)
    assert best.entity == "q4"
