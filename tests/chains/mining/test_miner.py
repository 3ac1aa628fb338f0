"""Which bodies connect the ends of facts, against trying everything."""

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
def test_bodies_and_how_likely_they_are(length: int, facts: list[tuple[int, int, int]], data: st.DataObject) -> None:
    graph = made_of(facts)
    step = data.draw(st.sampled_from(graph.targets()))
    sources, answers = graph.queries(step)
    support = data.draw(st.integers(1, 2))
    chosen = ChainSettings(rules=100_000, support=support)
    miner = Miner(graph, 1 << 14)
    for _ in range(2):  # the tables are clean again after each use
        bodies, chances = miner.bodies(step, sources, answers, length, chosen, lambda: None)
    wanted: dict[tuple[int, ...], list[Fraction]] = {}
    for start, end in zip(sources.tolist(), answers.tolist(), strict=True):
        left = oracle.remove_facts(facts, SIZE, start, step, end)
        for body, chance in oracle.bodies(left, start, end, length).items():
            wanted.setdefault(body, []).append(chance)
    right = {body: float(sum(each) / len(sources)) for body, each in wanted.items() if len(each) >= support}
    assert dict(zip(bodies, chances.tolist(), strict=True)) == pytest.approx(right, rel=1e-12)
    assert (np.diff(chances) <= 0).all()


@pytest.mark.parametrize("length", [2, 3, 5])
@settings(deadline=None, max_examples=60)
@given(FACTS, st.integers(1, 4), st.data())
def test_of_many_edges_some_count_for_all(
    length: int, facts: list[tuple[int, int, int]], fan: int, data: st.DataObject
) -> None:
    graph = made_of(facts)
    step = data.draw(st.sampled_from(graph.targets()))
    sources, answers = graph.queries(step)
    miner = Miner(graph, 1 << 14, fan)
    bodies, chances = miner.bodies(step, sources, answers, length, ChainSettings(support=1), lambda: None)
    wanted: dict[tuple[int, ...], Fraction] = {}
    for query, (start, end) in enumerate(zip(sources.tolist(), answers.tolist(), strict=True)):
        found = oracle.sampled_bodies(facts, SIZE, start, step, end, length, query, fan, 200_000)
        for body, chance in found.items():
            wanted[body] = wanted.get(body, Fraction(0)) + chance
    right = {body: float(chance / len(sources)) for body, chance in wanted.items()}
    assert dict(zip(bodies, chances.tolist(), strict=True)) == pytest.approx(right, rel=1e-12)


def test_of_the_ways_to_a_hub_some_count_for_all() -> None:
    # From 0 over one of many (b) to the hub 1, and on to the answer 2; so many endings are not entered.
    facts = sorted([(0, 0, 2), (1, 2, 2), *((0, 1, n) for n in range(3, 43)), *((n, 1, 1) for n in range(3, 43))])
    names = tuple(f"e{n}" for n in range(43))
    rows = np.array(facts, np.int32)
    graph = StepGraph.of(Graph.from_arrays(Vocabulary(RELATIONS), names, *rows.T), RELATIONS)
    chosen = ChainSettings(support=1, mining_work=5 * 60)
    bodies, chances = Miner(graph, 1 << 14, 4).bodies(0, *graph.queries(0), 3, chosen, lambda: None)
    right = oracle.sampled_bodies(facts, SIZE, 0, 0, 2, 3, 0, 4, 60)
    assert dict(zip(bodies, chances.tolist(), strict=True)) == pytest.approx({b: float(c) for b, c in right.items()})
    assert right  # what is found is not nothing


def test_bodies_fit_in_numbers() -> None:
    assert longest_number(6_000) == 5
    assert longest_number(100_000) == 3


def test_work_is_bounded() -> None:
    graph = made_of([(0, 0, 1), (0, 1, 2), (2, 1, 1), (0, 2, 1), (3, 0, 4), (3, 2, 4)])
    sources, answers = graph.queries(0)
    chosen = ChainSettings(mining_work=1, support=1)
    bodies, _ = Miner(graph).bodies(0, sources, answers, 3, chosen, lambda: None)
    every, _ = Miner(graph).bodies(0, sources, answers, 3, ChainSettings(support=1), lambda: None)
    assert len(bodies) < len(every)
