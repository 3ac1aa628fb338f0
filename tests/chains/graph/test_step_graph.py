"""StepGraph: symmetric relations, inverse steps, queries."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from r5.chains.graph.step_graph import StepGraph
from r5.graph import Graph
from tests.helpers.chain_graphs import ENTITIES, FACTS, RELATIONS, made_of
from tests.oracle import chains as oracle

SIZE = len(RELATIONS)


@settings(deadline=None, max_examples=60)
@given(FACTS)
def test_edges_degrees_and_symmetric_relations_match_the_oracle(facts: list[tuple[int, int, int]]) -> None:
    graph = made_of(facts)
    assert graph.symmetric.tolist() == oracle.symmetric(facts, SIZE)
    steps = graph.steps
    edges = [
        (int(steps.row_nodes[row]), int(steps.row_steps[row]), int(steps.targets[edge]))
        for row in range(steps.row_nodes.size)
        for edge in range(steps.row_offsets[row], steps.row_offsets[row + 1])
    ]
    all_edges = oracle.edges(facts, SIZE)
    assert sorted(edges) == sorted(all_edges)
    back = [sum(e[:2] == (t, oracle.inverse(s, facts, SIZE)) for e in all_edges) for _, s, t in edges]
    assert steps.back.tolist() == back
    by_step, number = steps.by_step, 2 * SIZE
    same = []
    for step in range(number):
        own_slots = by_step.slots[by_step.first_slots[step] : by_step.first_slots[step + 1]]
        for row in sorted(own_slots[own_slots >= 0].tolist()):
            first, last = by_step.offsets[row : row + 2].tolist()
            targets, degrees = by_step.targets[first:last].tolist(), by_step.back[first:last].tolist()
            same += [(step, int(by_step.nodes[row]), *both) for both in zip(targets, degrees, strict=True)]
    assert same == sorted((step, node, target, into) for (node, step, target), into in zip(edges, back, strict=True))


@settings(deadline=None, max_examples=60)
@given(FACTS)
def test_queries_are_the_facts_in_either_direction(facts: list[tuple[int, int, int]]) -> None:
    graph = made_of(facts)
    for step in graph.targets():
        sources, answers = graph.queries(step)
        pairs = sorted(zip(sources.tolist(), answers.tolist(), strict=True))
        assert pairs == sorted((s, t) for s, kind, t in oracle.edges(facts, SIZE) if kind == step)
    assert made_of(facts).number_of_nodes == ENTITIES


def test_inverse_edges_and_duplicates_are_one_fact() -> None:
    graph = Graph.from_triples([("x", "r", "y"), ("x", "r", "y"), ("y", "s", "z")]).with_inverses()
    steps = StepGraph.of(graph, ("r", "s"))
    assert steps.facts.tolist() == [[0, 0, 1], [1, 1, 2]]
    assert [steps.name(step) for step in steps.targets()] == ["r", "s", "r^-1", "s^-1"]
    assert [steps.step_named(name) for name in ("s", "r^-1", "t")] == [1, 2, -1]
    assert np.array_equal(steps.facts, StepGraph.of(Graph.from_triples(graph.triples()[:3]), ("r", "s")).facts)
