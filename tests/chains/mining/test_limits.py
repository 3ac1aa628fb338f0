"""Limits of each relation, and training on larger graphs within them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import r5
from r5._util.runtime.budget import Budget
from r5.chains.graph.step_graph import StepGraph
from r5.chains.mining.limits import even_limit, frequent_steps, limit_settings, mining_work
from r5.chains.settings import ChainSettings
from r5.chains.storage import model_to_arrays
from r5.chains.tuning import held_out
from tests.helpers.chain_graphs import made_of


@given(st.lists(st.integers(0, 50), min_size=1, max_size=8), st.integers(1, 120))
def test_even_limit_is_the_highest_that_fits(sizes: list[int], total: int) -> None:
    def limited_sum(limit: int) -> int:
        return sum(min(size, limit) for size in sizes)

    limit = even_limit(sizes, total)
    assert limited_sum(limit) <= total or limit == 1
    assert limited_sum(limit + 1) > total or limit >= max(sizes)


def test_limits_leave_small_graphs_alone() -> None:
    graph = made_of([(0, 0, 1), (1, 1, 2), (2, 2, 3)])
    settings = ChainSettings(mining_work=20_000, total_mining_work=1)
    assert limit_settings(ChainSettings(), graph).mining_work == ChainSettings().mining_work
    assert limit_settings(settings, graph).mining_work == 20_000  # the minimum
    assert limit_settings(ChainSettings(total_queries=4), graph).queries == 1
    assert frequent_steps(graph, [0, 3]) == graph.targets()


def test_mining_work_follows_the_number_of_facts_where_relations_are_many() -> None:
    few = made_of([(0, 0, 1), (1, 1, 2)])
    assert mining_work(ChainSettings(), few, 0) == ChainSettings().mining_work
    assert mining_work(ChainSettings(mining_work=5), few, 0) == 5
    many = StepGraph.of(world(3_000, 30_000), tuple(f"r{n}" for n in range(3_000)))
    settings = limit_settings(ChainSettings(), many)
    steps = many.targets()
    work = [mining_work(settings, many, step) for step in steps]
    per_fact = np.diff(work) / np.maximum(np.abs(np.diff([many.number_of_queries(step) for step in steps])), 1)
    assert np.abs(per_fact).max() == 2_000
    assert sum(work) < settings.total_mining_work


def test_frequent_steps_are_those_that_the_ends_of_facts_have_most_often() -> None:
    graph = made_of([(0, 0, 1), (2, 0, 3), (0, 1, 4), (2, 1, 4), (1, 2, 5)])
    sources, answers = graph.queries(0)
    counts = {
        step: sum(a in graph.queries(step)[0] for a in sources)
        + sum(b in graph.queries(int(graph.steps.inverse[step]))[0] for b in answers)
        for step in graph.targets()
    }
    best = sorted(counts, key=lambda step: (-counts[step], step))[:3]
    assert frequent_steps(graph, [0, 3], 3) == sorted(step for step in best if counts[step])


def world(relations: int, facts: int) -> r5.Graph:
    """Return a graph in which relation 3 k is 3 k + 1 then 3 k + 2; the first entities have most of the facts."""
    rng = np.random.default_rng(0)
    groundings, nodes = facts // 3, facts // 4
    group = rng.integers(relations // 3, size=groundings)
    x, y, z = (nodes * rng.random((3, groundings)) ** 2).astype(np.int64)
    rows = [(x, 3 * group, z), (x, 3 * group + 1, y), (y, 3 * group + 2, z)]
    heads, kinds, tails = (np.concatenate(columns) for columns in zip(*rows, strict=True))
    words = r5.Vocabulary(tuple(f"r{n}" for n in range(relations)))
    return r5.Graph.from_arrays(words, [f"e{n}" for n in range(nodes)], heads, kinds, tails)


def test_fit_within_limits_finds_the_rules_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_out, "_MAX_CANDIDATES", 0)  # few held-out facts
    monkeypatch.setattr(held_out, "_MIN_FACTS", 9)
    graph = world(9, 900)
    tight = {"total_queries": 600, "total_mining_work": 18 * 20_000, "total_feature_work": 18 * 10_000, "max_length": 3}
    one, two = (r5.ChainReasoner(**tight).fit(graph, budget=Budget(threads=threads)) for threads in (1, 2))
    first, second = (model_to_arrays(model.model_) for model in (one, two))
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert one.summary_["rules"] < 9 * 100  # each relation has several hundred candidates
    best = {rule.head: rule.relations for rule in reversed(one.rules_.rules) if not rule.head.endswith("^-1")}
    assert all(best[f"r{3 * n}"] == (f"r{3 * n + 1}", f"r{3 * n + 2}") for n in range(3))


def test_fit_handles_a_hub_with_30_000_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_out, "_MAX_CANDIDATES", 0)  # few held-out facts
    monkeypatch.setattr(held_out, "_MIN_FACTS", 9)
    size = 30_000
    people = np.arange(1, size + 1)
    near = people[:600]
    heads = np.concatenate([people, near, near[:400]])
    tails = np.concatenate([np.zeros(size, np.int64), near + 1, near[:400] + 2])
    kinds = np.repeat([0, 1, 2], [size, 600, 400])
    names = [f"e{n}" for n in range(size + 1)]
    graph = r5.Graph.from_arrays(r5.Vocabulary(("lives_in", "parent", "grandparent")), names, heads, kinds, tails)
    model = r5.ChainReasoner(queries=100, epochs=2).fit(graph, budget=Budget(threads=1))
    (answer,) = model.complete(head="e450", relation="grandparent", top=1)
    assert answer.entity == "e452"
    (answer,) = model.complete(head="e450", relation="lives_in", top=1, known=True)
    assert answer.entity == "e0"
