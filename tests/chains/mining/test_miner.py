"""Miner: bodies and their walk probabilities, against exhaustive search."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.chains.graph.step_graph import StepGraph
from r5.chains.mining.miner import Miner, longest_number
from r5.chains.settings import ChainSettings
from r5.graph import Graph
from r5.relations import Vocabulary
from tests.helpers.chain_graphs import FACTS, RELATIONS, made_of
from tests.oracle import chains as oracle

SIZE = len(RELATIONS)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
@settings(deadline=None, max_examples=60)
@given(FACTS, st.data())
def test_bodies_and_walk_probabilities_match_the_oracle(
    length: int, facts: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    graph = made_of(facts)
    step = data.draw(st.sampled_from(graph.targets()))
    sources, answers = graph.queries(step)
    support = data.draw(st.integers(1, 2))
    chosen = ChainSettings(rules=100_000, support=support)
    miner = Miner(graph, 1 << 14)
    for _ in range(2):  # the tables are empty again after each use
        bodies, probabilities = miner.bodies(step, sources, answers, length, chosen, lambda: None)
    wanted: dict[tuple[int, ...], list[Fraction]] = {}
    for start, end in zip(sources.tolist(), answers.tolist(), strict=True):
        left = oracle.remove_facts(facts, SIZE, start, step, end)
        for body, probability in oracle.bodies(left, start, end, length).items():
            wanted.setdefault(body, []).append(probability)
    expected = {body: float(sum(each) / len(sources)) for body, each in wanted.items() if len(each) >= support}
    assert dict(zip(bodies, probabilities.tolist(), strict=True)) == pytest.approx(expected, rel=1e-12)
    assert (np.diff(probabilities) <= 0).all()


@pytest.mark.parametrize("length", [2, 3, 5])
@settings(deadline=None, max_examples=60)
@given(FACTS, st.integers(1, 4), st.data())
def test_sampled_edges_are_weighted_as_in_the_oracle(
    length: int, facts: list[tuple[int, int, int]], max_degree: int, data: st.DataObject
) -> None:
    graph = made_of(facts)
    step = data.draw(st.sampled_from(graph.targets()))
    sources, answers = graph.queries(step)
    miner = Miner(graph, 1 << 14, max_degree)
    bodies, probabilities = miner.bodies(step, sources, answers, length, ChainSettings(support=1), lambda: None)
    wanted: dict[tuple[int, ...], Fraction] = {}
    for query, (start, end) in enumerate(zip(sources.tolist(), answers.tolist(), strict=True)):
        found = oracle.sampled_bodies(facts, SIZE, start, step, end, length, query, max_degree, 200_000)
        for body, probability in found.items():
            wanted[body] = wanted.get(body, Fraction(0)) + probability
    expected = {body: float(probability / len(sources)) for body, probability in wanted.items()}
    assert dict(zip(bodies, probabilities.tolist(), strict=True)) == pytest.approx(expected, rel=1e-12)


def test_sampled_endings_at_a_hub_are_weighted_as_in_the_oracle() -> None:
    # From 0 along b over one of 40 entities to the hub 1, then to the answer 2. Not all of the endings are listed.
    facts = sorted([(0, 0, 2), (1, 2, 2), *((0, 1, n) for n in range(3, 43)), *((n, 1, 1) for n in range(3, 43))])
    names = tuple(f"e{n}" for n in range(43))
    rows = np.array(facts, np.int32)
    graph = StepGraph.of(Graph.from_arrays(Vocabulary(RELATIONS), names, *rows.T), RELATIONS)
    chosen = ChainSettings(support=1, mining_work=5 * 60)
    bodies, probabilities = Miner(graph, 1 << 14, 4).bodies(0, *graph.queries(0), 3, chosen, lambda: None)
    expected = oracle.sampled_bodies(facts, SIZE, 0, 0, 2, 3, 0, 4, 60)
    assert dict(zip(bodies, probabilities.tolist(), strict=True)) == pytest.approx(
        {b: float(c) for b, c in expected.items()}
    )
    assert expected


def test_longest_number_fits_in_63_bits() -> None:
    assert longest_number(6_000) == 5
    assert longest_number(100_000) == 3


def test_miner_stops_at_the_work_limit() -> None:
    graph = made_of([(0, 0, 1), (0, 1, 2), (2, 1, 1), (0, 2, 1), (3, 0, 4), (3, 2, 4)])
    sources, answers = graph.queries(0)
    chosen = ChainSettings(mining_work=1, support=1)
    bodies, _ = Miner(graph).bodies(0, sources, answers, 3, chosen, lambda: None)
    all_bodies, _ = Miner(graph).bodies(0, sources, answers, 3, ChainSettings(support=1), lambda: None)
    assert len(bodies) < len(all_bodies)
