"""Which bodies connect the ends of facts, against trying everything."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.chains.mining import Miner
from r5.chains.settings import ChainSettings
from tests.helpers.chain_graphs import FACTS, RELATIONS, made_of
from tests.oracle import chains as oracle

SIZE = len(RELATIONS)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
@settings(deadline=None, max_examples=60)
@given(FACTS, st.data())
def test_bodies_and_how_likely_they_are(length: int, facts: list[tuple[int, int, int]], data: st.DataObject) -> None:
    graph = made_of(facts)
    step = data.draw(st.sampled_from(graph.targets()))
    sources, answers = graph.questions(step)
    support = data.draw(st.integers(1, 2))
    chosen = ChainSettings(rules=100_000, support=support)
    miner = Miner(graph, 1 << 14)
    for _ in range(2):  # the tables are clean again after each use
        bodies, chances = miner.bodies(step, sources, answers, length, chosen, lambda: None)
    wanted: dict[tuple[int, ...], list[Fraction]] = {}
    for start, end in zip(sources.tolist(), answers.tolist(), strict=True):
        left = oracle.without(facts, SIZE, start, step, end)
        for body, chance in oracle.bodies(left, start, end, length).items():
            wanted.setdefault(body, []).append(chance)
    right = {body: float(sum(each) / len(sources)) for body, each in wanted.items() if len(each) >= support}
    assert dict(zip(bodies, chances.tolist(), strict=True)) == pytest.approx(right, rel=1e-12)
    assert (np.diff(chances) <= 0).all()


def test_work_is_bounded() -> None:
    graph = made_of([(0, 0, 1), (0, 1, 2), (2, 1, 1), (0, 2, 1), (3, 0, 4), (3, 2, 4)])
    sources, answers = graph.questions(0)
    chosen = ChainSettings(mining_work=1, support=1)
    bodies, _ = Miner(graph).bodies(0, sources, answers, 3, chosen, lambda: None)
    every, _ = Miner(graph).bodies(0, sources, answers, 3, ChainSettings(support=1), lambda: None)
    assert len(bodies) < len(every)
