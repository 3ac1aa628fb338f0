"""Inverse edges: they belong to the graph and to the fact of their edge."""

from __future__ import annotations

from r5.baselines.inputs.inverse_edges import add_inverse_edges
from r5.examples import Example, Examples, Query
from r5.graph import Graph
from r5.paths.search import find_paths
from r5.relations import Vocabulary

WORDS = Vocabulary(("mother", "aunt"))


def example(triples: list[tuple[str, str, str]]) -> Example:
    graph = Graph.from_triples(triples, WORDS)
    return Example(graph, Query(0, 1), answer=1, masked_fact=int(graph.facts[0]))


def test_each_graph_has_its_own_inverse_edges() -> None:
    first = example([("Ann", "aunt", "Bob"), ("Cid", "mother", "Ann")])
    second = example([("Eva", "aunt", "Flo")])
    found = add_inverse_edges(Examples.of([first, second]))
    assert [one.graph.triples() for one in found] == [
        [
            *first.graph.triples(),
            ("Bob", "aunt^-1", "Ann"),
            ("Ann", "mother^-1", "Cid"),
        ],
        [*second.graph.triples(), ("Flo", "aunt^-1", "Eva")],
    ]
    assert [one.answer_name for one in found] == ["aunt", "aunt"]


def test_the_queried_fact_is_masked_in_both_directions() -> None:
    asked = example([("Ann", "aunt", "Bob"), ("Cid", "mother", "Bob"), ("Cid", "mother", "Ann")])
    paths = find_paths(add_inverse_edges(Examples.of([asked])), "simple", max_length=3, limit=10)
    names = [paths.vocabulary.names(path) for path in paths.sequences.rows()]
    assert names == [("mother^-1", "mother")]
