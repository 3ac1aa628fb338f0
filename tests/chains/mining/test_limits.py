"""What one relation may cost, and that large graphs are learned from within it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import r5
from r5._util.runtime.budget import Budget
from r5.chains.calibration import held_out_scores
from r5.chains.mining import limits
from r5.chains.mining.limits import even_limit, frequent_steps, limit_settings
from r5.chains.settings import ChainSettings
from r5.chains.storage import model_to_arrays
from tests.helpers.chain_graphs import made_of


@given(st.lists(st.integers(0, 50), min_size=1, max_size=8), st.integers(1, 120))
def test_the_highest_limit_is_found(sizes: list[int], most: int) -> None:
    def together(limit: int) -> int:
        return sum(min(size, limit) for size in sizes)

    limit = even_limit(sizes, most)
    assert together(limit) <= most or limit == 1
    assert together(limit + 1) > most or limit >= max(sizes)


def test_small_graphs_have_no_limits() -> None:
    graph = made_of([(0, 0, 1), (1, 1, 2), (2, 2, 3)])
    settings = ChainSettings(mining_work=20_000, total_mining_work=1)
    assert limit_settings(ChainSettings(), graph).mining_work == ChainSettings().mining_work
    assert limit_settings(settings, graph).mining_work == 20_000  # however many relations there are
    assert limit_settings(ChainSettings(total_queries=4), graph).queries == 1
    assert frequent_steps(graph, [0, 3]) == graph.targets()


def test_of_many_steps_those_that_the_ends_have_most_often_are_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_SINGLE_STEPS", 3)
    graph = made_of([(0, 0, 1), (2, 0, 3), (0, 1, 4), (2, 1, 4), (1, 2, 5)])
    sources, answers = graph.queries(0)
    counts = {
        step: sum(a in graph.queries(step)[0] for a in sources)
        + sum(b in graph.queries(int(graph.steps.inverse[step]))[0] for b in answers)
        for step in graph.targets()
    }
    best = sorted(counts, key=lambda step: (-counts[step], step))[:3]
    assert frequent_steps(graph, [0, 3]) == sorted(step for step in best if counts[step])


def world(relations: int, facts: int) -> r5.Graph:
    """Relation 3 k follows from 3 k + 1 and 3 k + 2; the first entities have most of the facts."""
    rng = np.random.default_rng(0)
    groundings, nodes = facts // 3, facts // 4
    group = rng.integers(relations // 3, size=groundings)
    x, y, z = (nodes * rng.random((3, groundings)) ** 2).astype(np.int64)
    rows = [(x, 3 * group, z), (x, 3 * group + 1, y), (y, 3 * group + 2, z)]
    heads, kinds, tails = (np.concatenate(columns) for columns in zip(*rows, strict=True))
    words = r5.Vocabulary(tuple(f"r{n}" for n in range(relations)))
    return r5.Graph.from_arrays(words, [f"e{n}" for n in range(nodes)], heads, kinds, tails)


def test_rules_are_found_within_limits_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_SINGLE_STEPS", 6)
    monkeypatch.setattr(held_out_scores, "_CANDIDATES", 0)  # few facts that were not learned from are asked for
    monkeypatch.setattr(held_out_scores, "_FEWEST", 9)
    graph = world(9, 900)
    tight = {"total_queries": 600, "total_mining_work": 18 * 20_000, "total_feature_work": 18 * 10_000, "max_length": 3}
    one, two = (r5.ChainReasoner(**tight).fit(graph, budget=Budget(threads=threads)) for threads in (1, 2))
    first, second = (model_to_arrays(model.model_) for model in (one, two))
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert one.summary_["rules"] < 9 * 100  # of several hundred that each relation has
    best = {rule.head: rule.relations for rule in reversed(one.rules_.rules) if not rule.head.endswith("^-1")}
    assert all(best[f"r{3 * n}"] == (f"r{3 * n + 1}", f"r{3 * n + 2}") for n in range(3))


def test_a_hub_with_100_000_edges_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_out_scores, "_CANDIDATES", 0)  # few facts that were not learned from are asked for
    monkeypatch.setattr(held_out_scores, "_FEWEST", 9)
    size = 100_000
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
