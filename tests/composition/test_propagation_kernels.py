"""The kernels agree exactly with their slow twins, on graphs with cycles, parallel edges and hidden facts."""

from __future__ import annotations

import numpy as np
import pytest

from r5.composition.propagation_kernels import Adjacency, EdgeArrays, propagate_edges
from r5.examples import Examples
from r5.graph import Graph
from r5.relations import Vocabulary
from tests.oracle import composition as oracle

MIN_POSSIBILITY = 1e-3


@pytest.mark.parametrize("seed", range(40))
def test_propagation_agrees_with_the_slow_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    nodes, relations = int(rng.integers(3, 10)), int(rng.integers(1, 5))
    edges = rng.integers(0, nodes, (int(rng.integers(2, 30)), 2))
    triples = [(f"n{s}", f"r{rng.integers(relations + 1)}", f"n{t}") for s, t in edges.tolist()]
    graph = Graph.from_triples(triples, Vocabulary.of(f"r{n}" for n in range(relations + 1)))
    table = np.maximum(rng.random((relations,) * 3), MIN_POSSIBILITY)
    count = graph.number_of_nodes
    sources, targets = rng.integers(0, count, 20), rng.integers(0, count, 20)
    hidden = np.where(rng.random(20) < 0.5, rng.choice(graph.facts, 20), -1)
    examples = Examples.over(graph, sources, targets, np.full(20, -1), hidden)
    free = rng.random(graph.number_of_edges) < 0.2
    leaving, coming = graph.outgoing, graph.incoming
    possible, lengths, agree = propagate_edges(
        Adjacency(leaving.offsets, leaving.edges),
        Adjacency(coming.offsets, coming.edges),
        EdgeArrays(graph.sources, graph.relations, graph.targets, graph.facts, free),
        (examples.sources, examples.targets, examples.masked_facts),
        table,
        MIN_POSSIBILITY,
    )
    words = list(range(relations + 1))
    for number in range(20):
        query = int(sources[number]), int(targets[number]), int(hidden[number])
        slow = oracle.spread(
            graph, words, query, table.tolist(), MIN_POSSIBILITY, frozenset(np.flatnonzero(free).tolist())
        )
        assert (possible[number].tolist(), int(lengths[number]), float(agree[number])) == slow
