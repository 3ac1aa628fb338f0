"""Walks with a masked fact, against exhaustive search."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.chains.features.constant_index import NO_CONSTANTS, make_constants
from r5.chains.features.trie import make_trie
from r5.chains.features.walk_kernels import GraphWalk, ground
from r5.chains.features.workspace import Workspace
from r5.chains.graph.step_kernels import Mask
from r5.chains.inference.scoring_kernels import reach
from tests.helpers.chain_graphs import FACTS, RELATIONS, made_of
from tests.oracle import chains as oracle

SIZE = len(RELATIONS)
BODIES = [body for length in (1, 2, 3) for body in product(range(2 * SIZE), repeat=length)]


@settings(deadline=None, max_examples=60)
@given(FACTS, st.data())
def test_reached_entities_and_features_with_a_masked_fact_match_the_oracle(
    facts: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    graph = made_of(facts)
    head, relation, tail = data.draw(st.sampled_from(facts))
    step = data.draw(st.sampled_from([relation, graph.step(relation, True)]))
    start, end = (head, tail) if step == relation else (tail, head)
    left = oracle.remove_facts(facts, SIZE, start, step, end)
    back_of = {s: oracle.inverse(s, facts, SIZE) for s in range(2 * SIZE)}
    workspace = Workspace(graph, 1000)
    workspace.reserve_rules(len(BODIES))
    walk, no_constants = GraphWalk(graph.steps, 1000, workspace.walker), make_constants(NO_CONSTANTS, graph)
    count = reach(walk, make_trie(BODIES), no_constants, start, Mask(start, step, end), workspace.reached)
    found = {}
    for use in range(count):
        part = slice(workspace.reached.starts[use], workspace.reached.starts[use + 1])
        body = BODIES[workspace.reached.rules[use]]
        found[body] = dict(
            zip(workspace.reached.entities[part].tolist(), workspace.reached.features[part].tolist(), strict=True)
        )
    for body in BODIES:
        wanted = oracle.features(left, start, body, back_of)
        assert found.get(body, {}).keys() == wanted.keys()
        for node, (_, forward, back) in wanted.items():
            expected = (float(forward) ** 0.5, float(back) ** 0.5)
            assert np.allclose(found[body][node], expected, rtol=1e-12, atol=0)


@settings(deadline=None, max_examples=60)
@given(FACTS, st.data())
def test_ground_counts_all_groundings_and_returns_one(facts: list[tuple[int, int, int]], data: st.DataObject) -> None:
    graph = made_of(facts)
    start, end = data.draw(st.integers(0, 5)), data.draw(st.integers(0, 5))
    body = data.draw(st.sampled_from(BODIES))
    workspace = Workspace(graph, 1000)
    path = np.zeros(len(body) + 1, np.int64)
    steps = np.array(body, np.int64)
    groundings = ground(GraphWalk(graph.steps, 1000, workspace.walker), steps, start, end, Mask(-1, -1, -1), path)
    walks = [w for w in oracle.walks(oracle.edges(facts, SIZE), start, body) if w[-1][2] == end]
    assert groundings == len(walks)
    if walks:
        assert path.tolist() in [[start, *(edge[2] for edge in walk)] for walk in walks]


def test_ground_prefers_entities_that_the_path_does_not_have() -> None:
    """From 0 to 2 by three edges: 0, 1, 2 and back are groundings, and 0, 3, 4, 2 is the one without a detour."""
    graph = made_of([(a, 0, b) for one in [(0, 1), (1, 2), (0, 3), (3, 4), (4, 2)] for a, b in (one, one[::-1])])
    path, body = np.zeros(4, np.int64), np.zeros(3, np.int64)
    workspace = Workspace(graph, 1000)
    assert ground(GraphWalk(graph.steps, 1000, workspace.walker), body, 0, 2, Mask(-1, -1, -1), path) > 1
    assert path.tolist() == [0, 3, 4, 2]


def test_bodies_beyond_the_frontier_do_not_apply() -> None:
    graph = made_of([(0, 0, 1), (0, 0, 2), (0, 0, 3), (3, 1, 4), (5, 1, 4)])
    workspace = Workspace(graph, 2)
    workspace.reserve_rules(2)
    no_mask = Mask(-1, -1, -1)
    trie, no_constants = make_trie([(0,), (0, 1)]), make_constants(NO_CONSTANTS, graph)
    walk = GraphWalk(graph.steps, 2, workspace.walker)
    assert reach(walk, trie, no_constants, 0, no_mask, workspace.reached) == 0
    wide = Workspace(graph, 3)
    wide.reserve_rules(2)
    assert reach(GraphWalk(graph.steps, 3, wide.walker), trie, no_constants, 0, no_mask, wide.reached) == 2
