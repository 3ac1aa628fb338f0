"""What rules cost and which can be afforded, against walking along each."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.chains.features.workspace import Workspace
from r5.chains.graph.step_graph import StepGraph
from r5.chains.mining import work_budget as costs
from r5.chains.mining.work_budget import fit_budget
from tests.helpers.chain_graphs import FACTS, RELATIONS, made_of
from tests.oracle import chains as oracle

SIZE = len(RELATIONS)
BODIES = [body for length in (1, 2, 3) for body in product(range(2 * SIZE), repeat=length)][::5]


def reversed_(graph: StepGraph) -> list[tuple[int, ...]]:
    return [tuple(int(graph.steps.inverse[step]) for step in reversed(body)) for body in BODIES]


def slow_cost(facts: list[tuple[int, int, int]], graph: StepGraph, step: int, bodies: list[tuple[int, ...]]) -> float:
    """Entities that each prefix starts from, and twice those that it leads to, a question."""
    sources, answers = graph.queries(step)
    tried = np.random.default_rng([3, step, 5]).integers(sources.size, size=costs._TRIED)
    back_of = {s: oracle.inverse(s, facts, SIZE) for s in range(2 * SIZE)}
    total = 0
    for start, end in zip(sources[tried].tolist(), answers[tried].tolist(), strict=True):
        left = oracle.remove_facts(facts, SIZE, start, step, end)
        for prefix in {body[:size] for body in bodies for size in range(1, len(body) + 1)}:
            before = len(oracle.features(left, start, prefix[:-1], back_of)) if len(prefix) > 1 else 0
            total += before + 2 * len(oracle.features(left, start, prefix, back_of))
    return total / costs._TRIED


@settings(deadline=None, max_examples=15)
@given(FACTS, st.integers(1, 500))
def test_what_is_kept_costs_no_more_than_allowed(facts: list[tuple[int, int, int]], work: int) -> None:
    graph = made_of(facts)
    steps = graph.steps_of(graph.used()[0])
    both = [BODIES, reversed_(graph)][: len(steps)]
    if len(set(both[-1])) < len(BODIES):
        return
    prior = np.linspace(1.0, 0.0, len(BODIES))
    workspace = Workspace(graph, 1000)
    can = fit_budget(graph, steps, both, prior, 12_000, work, workspace, seed=3)
    asked = [graph.queries(step)[0].size for step in steps]
    assert can.rules == sorted(set(can.rules))
    # Fewer than a hundred questions are never too many.
    assert can.queries == asked
    for step, bodies, count in zip(steps, both, asked, strict=True):
        assert slow_cost(facts, graph, step, [bodies[rule] for rule in can.rules]) * count <= work + 1e-9
    fits = [slow_cost(facts, graph, step, bodies) * asked[0] <= work for step, bodies in zip(steps, both, strict=True)]
    assert (len(can.rules) == len(BODIES)) == all(fits)


def test_rules_are_fewer_where_all_questions_cost_too_much() -> None:
    graph = made_of([(n, r, m) for n in range(6) for r in range(3) for m in range(6) if (n + m + r) % 3 and n != m])
    step = graph.steps_of(0)[:1]
    workspace = Workspace(graph, 1000)
    cost = sum(costs._costs(graph, step[0], BODIES, workspace, 0).values())
    asked, prior = graph.queries(step[0])[0].size, np.ones(len(BODIES))
    assert cost > 1
    can = fit_budget(graph, step, [BODIES], prior, 12_000, int(cost * asked) + 1, workspace, seed=0)
    assert can.rules == list(range(len(BODIES)))
    can = fit_budget(graph, step, [BODIES], prior, 12_000, int(cost * asked / 2), workspace, seed=0)
    assert 0 < len(can.rules) < len(BODIES)


@pytest.mark.parametrize("good", [True, False])
def test_good_rules_come_first(good: bool) -> None:
    graph = made_of([(n, r, (n + d) % 6) for n in range(6) for r in range(3) for d in (1, 2)])
    workspace = Workspace(graph, 1000)
    bodies = [(1, 1), (2, 2)]
    one = sum(costs._costs(graph, 0, bodies[:1], workspace, 0).values())
    prior = np.array([0.5, 0.1]) if good else np.array([0.1, 0.5])
    can = fit_budget(graph, [0], [bodies], prior, 12_000, int(1.35 * 12 * one), workspace, seed=0)
    assert can.rules == [0 if good else 1]
