"""Temperature of a model whose scores are wrong by a factor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import r5
from r5.chains.calibration.temperature import calibrate_temperature, fit_temperature
from r5.chains.calibration.temperature_kernels import FirstProbabilities
from r5.chains.graph.step_graph import StepGraph
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.model import Temperature
from r5.chains.tuning.held_out import hold_out
from r5.reasoners.chains import ChainReasoner


def test_temperature_of_the_likelihood_is_recovered() -> None:
    rng = np.random.default_rng(0)
    temperatures = np.exp(np.linspace(-2.0, 1.5, 36))
    gaps = rng.exponential(2.0, 4_000)
    first = 1.0 / (1.0 + 3.0 * np.exp(-gaps[:, None] / temperatures))
    correct = rng.random(gaps.size) < 1.0 / (1.0 + 3.0 * np.exp(-gaps / 0.5))
    temperature = fit_temperature(FirstProbabilities(first, np.ones_like(first)), correct, np.zeros(gaps.size))
    assert temperature.base == pytest.approx(0.5, rel=0.1)
    assert temperature.spread < 0.06


def test_spread_is_the_share_of_answers_independent_of_scores() -> None:
    rng = np.random.default_rng(0)
    temperatures = np.exp(np.linspace(-2.0, 1.5, 36))
    gaps = rng.exponential(2.0, 4_000)
    first = 1.0 / (1.0 + 3.0 * np.exp(-gaps[:, None] / temperatures))
    correct = rng.random(gaps.size) < 0.75 / (1.0 + 3.0 * np.exp(-gaps / 0.5))
    temperature = fit_temperature(FirstProbabilities(first, np.ones_like(first)), correct, np.zeros(gaps.size))
    assert temperature.spread == pytest.approx(0.25, abs=0.051)
    assert temperature.base == pytest.approx(0.5, rel=0.2)


def test_spread_is_shared_evenly_by_all_candidates() -> None:
    model = ChainReasoner(seed=0, epochs=1).fit(r5.Graph.from_triples([("a", "r", "b"), ("b", "r", "c")]))
    query_scorer = QueryScorer(model._scorer.graph, replace(model.model_, temperature=Temperature(1.0, 0.0, 0.3)))
    found = query_scorer.probabilities(np.array([0.0, np.log(3.0), 5.0]), np.array([2]))
    assert found.tolist() == pytest.approx([0.7 / 4 + 0.15, 0.7 * 3 / 4 + 0.15, 0.0])


def test_temperature_rises_with_the_share_of_the_first_answer() -> None:
    assert Temperature(0.5, 1.0).of(0.0) == pytest.approx(0.5)
    assert Temperature(0.5, 1.0).of(1.0) == pytest.approx(0.5 * np.e)


def test_temperature_scales_with_the_scores() -> None:
    data = r5.load("library", members=100, books=100)
    model = ChainReasoner(seed=0, epochs=2).fit(data.train)
    graph = model._scorer.graph
    held = hold_out(graph, np.random.default_rng(1))
    chains = replace(model.model_, temperature=Temperature())
    doubled = {
        step: replace(target, weights=type(target.weights)(*(2.0 * part for part in target.weights)))
        for step, target in chains.targets.items()
    }
    found = [
        calibrate_temperature(QueryScorer(graph.without(held), scaled), held, np.random.default_rng(2)).base
        for scaled in (chains, replace(chains, targets=doubled))
    ]
    assert found[0] < found[1] < 2.5 * found[0]


def test_held_out_facts_are_a_tenth_of_frequent_relations_and_none_of_rare_ones() -> None:
    facts = [(f"a{n}", "often", f"b{n}") for n in range(100)] + [(f"a{n}", "rare", f"b{n}") for n in range(9)]
    graph = StepGraph.of(r5.Graph.from_triples(facts), ("often", "rare"))
    held = hold_out(graph, np.random.default_rng(0))
    assert held[:, 1].tolist() == [0] * 10
    rest = graph.without(held)
    assert sorted([*rest.facts.tolist(), *held.tolist()]) == graph.facts.tolist()
