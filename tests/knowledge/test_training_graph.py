"""training_graph: the facts that examples ask for and the background, no others."""

from __future__ import annotations

import numpy as np

from r5.examples import Examples
from r5.graph import Graph
from r5.knowledge.training_graph import training_graph

FAMILY = [("a", "mother", "b"), ("b", "mother", "c"), ("a", "grandmother", "c"), ("c", "sister", "d")]


def test_selected_examples_keep_their_facts_and_all_nodes() -> None:
    examples = Examples.from_edges(Graph.from_triples(FAMILY))
    fold = training_graph(Examples.of([examples[3], examples[0]]))
    assert fold.triples() == [FAMILY[0], FAMILY[3]]
    assert fold.entities == examples.pool.entities
    assert fold.vocabulary == examples.vocabulary


def test_examples_of_all_facts_return_the_graph_itself() -> None:
    examples = Examples.from_edges(Graph.from_triples([*FAMILY, FAMILY[0]], inverse=True))
    assert training_graph(examples) is examples.pool


def test_removing_a_fact_removes_its_duplicates_and_inverses() -> None:
    examples = Examples.from_edges(Graph.from_triples([*FAMILY, FAMILY[0]], inverse=True))
    back = ("b", "mother^-1", "a")
    assert training_graph(examples[:1]).triples() == [FAMILY[0], FAMILY[0], back, back]


def test_sampled_facts_and_background_make_the_whole_graph() -> None:
    graph = Graph.from_triples(FAMILY)
    sampled = Examples.from_edges(graph, limit=2)
    assert training_graph(sampled) is graph
    assert len(training_graph(sampled[:1]).triples()) == 3
    assert training_graph(sampled[:0]).number_of_edges == 2


def test_given_answers_become_facts_instead_of_masked_ones() -> None:
    examples = Examples.from_edges(Graph.from_triples(FAMILY))[:2].with_answers(["sister", None])
    given = training_graph(examples)
    assert given.triples() == [("a", "sister", "b")]
    assert given.facts.min() > examples.pool.facts.max()


def test_queries_without_their_facts_become_facts() -> None:
    graph = Graph.from_triples(FAMILY)
    asked = Examples.over(graph, [0, 0, 2], [3, 3, 3], [graph.vocabulary.id("sister")] * 3)
    assert training_graph(asked).triples() == [("c", "sister", "d"), ("a", "sister", "d")]


def test_hyperedges_are_kept_whole() -> None:
    graph = Graph.from_facts([("meet", ("a", "b", "c")), ("meet", ("a", "b", "d"))])
    examples = Examples.from_edges(graph)
    assert [(graph.sources[e], graph.targets[e]) for e in (0, 6)] == [(0, 1), (0, 1)]
    for number in (0, 1):
        given = training_graph(examples.select(np.array([number])))
        assert (given.number_of_edges, set(given.facts.tolist())) == (6, {number})
    assert training_graph(examples) is graph
