"""Graphs around a chain: no other way is as short, and wrong relations come at the rate asked for."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.data.generators.world.graphs import Confusion, GraphDrawer
from r5.errors import R5Error

NAMES = ("a", "b", "c", "d")


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10_000), st.lists(st.integers(0, 3), min_size=2, max_size=9), st.sampled_from([0, 3, 30]))
def test_the_chain_is_the_only_shortest_path(seed: int, descriptor: list[int], side_edges: int) -> None:
    rng = np.random.default_rng(seed)
    row = GraphDrawer(NAMES, side_edges, Confusion(4, 0.0, True, rng)).row(descriptor, 2, rng)
    graph = networkx.MultiDiGraph()
    for source, relation, target in row.edges:
        graph.add_edge(source, target, relation=relation)
    assert list(networkx.all_shortest_paths(graph, row.source, row.target)) == [list(row.resolution)]
    shown = [graph[one][two][0]["relation"] for one, two in zip(row.resolution, row.resolution[1:], strict=False)]
    assert shown == list(row.descriptor) == [NAMES[relation] for relation in descriptor]
    assert row.answer == "c"
    in_order = dict.fromkeys(node for source, _, target in row.edges for node in (source, target))
    assert list(in_order) == [str(number) for number in range(len(in_order))]


def test_side_edges_have_the_given_number_and_open_longer_paths() -> None:
    rng = np.random.default_rng(0)
    drawer = GraphDrawer(NAMES, 6.0, Confusion(4, 0.0, True, rng))
    rows = [drawer.row((0, 1, 2, 3), 0, rng) for _ in range(400)]
    assert np.mean([len(row.edges) - 4 for row in rows]) == pytest.approx(6.0, abs=0.4)
    longer = 0
    for row in rows:
        graph = networkx.DiGraph((source, target) for source, _, target in row.edges)
        longer += len(list(networkx.all_simple_paths(graph, row.source, row.target))) > 1
    assert longer > 20
    assert len({row.resolution[0] for row in rows}) > 3  # the order of edges gives nothing away


@pytest.mark.parametrize("systematic", [True, False])
def test_systematic_confusion_prefers_some_relations(systematic: bool) -> None:
    rng = np.random.default_rng(1)
    confusion = Confusion(5, 0.2, systematic, rng)
    true = rng.integers(0, 5, 50_000)
    shown = confusion.observe(true, rng)
    wrong = shown != true
    assert wrong.mean() == pytest.approx(0.2, abs=0.01)
    counts = np.bincount(shown[wrong & (true == 3)], minlength=5)
    ranked = counts[confusion.others[3]] / counts.sum()
    assert ranked == pytest.approx([0.5, 0.25, 0.125, 0.125] if systematic else [0.25] * 4, abs=0.04)


def test_confusion_of_a_single_relation_is_refused() -> None:
    with pytest.raises(R5Error, match="need a second relation"):
        Confusion(1, 0.1, True, np.random.default_rng(0))
