"""Masking of the fact of each query after shared walks, against exhaustive search."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numba import njit

from r5.chains.features.masking_kernels import apply_mask, follow_unmasked
from r5.chains.features.trie import make_trie
from r5.chains.features.walk_kernels import GraphWalk
from r5.chains.features.workspace import Workspace
from r5.chains.graph.step_kernels import Mask
from tests.helpers.chain_graphs import FACTS, RELATIONS, made_of
from tests.oracle import chains as oracle

SIZE = len(RELATIONS)
BODIES = [body for length in (1, 2, 3) for body in product(range(2 * SIZE), repeat=length)]


@njit(error_model="numpy")  # type: ignore[untyped-decorator]
def follow_and_mask(walk, trie, answers, column, mask, unmasked, reached, kept):  # type: ignore[no-untyped-def]
    follow_unmasked(walk, trie, mask.source, answers, 0, answers.size, unmasked)
    return apply_mask(walk, trie, unmasked, column, mask, reached, kept)


@settings(deadline=None, max_examples=60)
@given(FACTS, st.data())
def test_masked_walks_match_the_oracle_without_the_fact(facts: list[tuple[int, int, int]], data: st.DataObject) -> None:
    graph = made_of(facts)
    step = data.draw(st.sampled_from(graph.targets()))
    queries = list(zip(*(side.tolist() for side in graph.queries(step)), strict=True))
    start, end = data.draw(st.sampled_from([pair for pair in queries if pair[0] != pair[1]] or [(0, 0)]))
    assume(start != end)
    answers = np.array([answer for source, answer in queries if source == start], np.int64)
    workspace = Workspace(graph, 1000)
    workspace.reserve_rules(len(BODIES))
    trie = make_trie(BODIES)
    workspace.reserve_queries(len(BODIES), trie.steps.size, answers.size)
    back_of = {s: oracle.inverse(s, facts, SIZE) for s in range(2 * SIZE)}
    mask, reached = Mask(start, step, end), workspace.reached
    column = answers.tolist().index(end)
    walk = GraphWalk(graph.steps, 1000, workspace.walker)
    count = follow_and_mask(walk, trie, answers, column, mask, workspace.unmasked, reached, 0)
    found = {}
    for use in range(count):
        part = slice(reached.starts[use], reached.starts[use + 1])
        rows = reached.features[part].tolist()
        found[BODIES[reached.rules[use]]] = dict(zip(reached.entities[part].tolist(), rows, strict=True))
    left = oracle.remove_facts(facts, SIZE, start, step, end)
    wanted = {body: oracle.features(left, start, body, back_of) for body in BODIES}
    assert found.keys() == {body for body in BODIES if wanted[body]}
    for body, entities in found.items():
        assert entities.keys() == wanted[body].keys()
        for node, (forward, back) in entities.items():
            assert np.allclose([forward**2, back], [float(x) for x in wanted[body][node][1:]], rtol=1e-12, atol=0)
