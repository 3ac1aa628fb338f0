"""Probabilities that are kept: the temperature of a model whose scores are wrong by a factor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import r5
from r5.chains.calibration.temperature import _suits, calibrate
from r5.chains.graph.step_graph import StepGraph
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.model import Heat
from r5.chains.tuning.held_out import hold_out, remove_facts
from r5.reasoners.chains import ChainReasoner


def test_the_temperature_of_what_was_said_is_found() -> None:
    rng = np.random.default_rng(0)
    temperatures = np.exp(np.linspace(-2.0, 1.5, 36))
    gaps = rng.exponential(2.0, 4_000)
    rule_scores = 1.0 / (1.0 + 3.0 * np.exp(-gaps[:, None] / temperatures))
    right = rng.random(gaps.size) < 1.0 / (1.0 + 3.0 * np.exp(-gaps / 0.5))
    heat = _suits(rule_scores, np.ones_like(rule_scores), right, np.zeros(gaps.size))
    assert heat.temperature == pytest.approx(0.5, rel=0.1)
    assert heat.spread < 0.06


def test_where_one_answer_in_four_comes_from_nowhere_a_quarter_is_spread() -> None:
    rng = np.random.default_rng(0)
    temperatures = np.exp(np.linspace(-2.0, 1.5, 36))
    gaps = rng.exponential(2.0, 4_000)
    rule_scores = 1.0 / (1.0 + 3.0 * np.exp(-gaps[:, None] / temperatures))
    right = rng.random(gaps.size) < 0.75 / (1.0 + 3.0 * np.exp(-gaps / 0.5))
    heat = _suits(rule_scores, np.ones_like(rule_scores), right, np.zeros(gaps.size))
    assert heat.spread == pytest.approx(0.25, abs=0.051)
    assert heat.temperature == pytest.approx(0.5, rel=0.2)


def test_what_is_spread_goes_to_all_candidates_alike() -> None:
    model = ChainReasoner(seed=0, epochs=1).fit(r5.Graph.from_triples([("a", "r", "b"), ("b", "r", "c")]))
    query_scorer = QueryScorer(model._answerer.graph, replace(model.model_, heat=Heat(1.0, 0.0, 0.3)))
    found = query_scorer.probabilities(np.array([0.0, np.log(3.0), 5.0]), np.array([2]))
    assert found.tolist() == pytest.approx([0.7 / 4 + 0.15, 0.7 * 3 / 4 + 0.15, 0.0])


def test_a_question_where_one_stands_out_may_be_hotter() -> None:
    assert Heat(0.5, 1.0).of(0.0) == pytest.approx(0.5)
    assert Heat(0.5, 1.0).of(1.0) == pytest.approx(0.5 * np.e)


def test_scores_of_twice_the_size_have_twice_the_temperature() -> None:
    data = r5.load("library", members=100, books=100)
    model = ChainReasoner(seed=0, epochs=2).fit(data.train)
    graph = model._answerer.graph
    held = hold_out(graph, np.random.default_rng(1))
    chains = replace(model.model_, heat=Heat())
    doubled = {
        step: replace(one, weights=type(one.weights)(*(2.0 * part for part in one.weights)))
        for step, one in chains.targets.items()
    }
    found = [
        calibrate(QueryScorer(remove_facts(graph, held), one), held, np.random.default_rng(2)).temperature
        for one in (chains, replace(chains, targets=doubled))
    ]
    assert found[0] < found[1] < 2.5 * found[0]


def test_few_facts_are_set_aside_and_none_of_rare_relations() -> None:
    facts = [(f"a{n}", "often", f"b{n}") for n in range(100)] + [(f"a{n}", "rare", f"b{n}") for n in range(9)]
    graph = StepGraph.of(r5.Graph.from_triples(facts), ("often", "rare"))
    held = hold_out(graph, np.random.default_rng(0))
    assert held[:, 1].tolist() == [0] * 10
    rest = remove_facts(graph, held)
    assert sorted([*rest.facts.tolist(), *held.tolist()]) == graph.facts.tolist()
