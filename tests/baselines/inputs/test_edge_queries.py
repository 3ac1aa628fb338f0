"""Edge queries: one per edge, each masked from its own query."""

from __future__ import annotations

from r5.baselines.inputs.edge_queries import add_edge_queries
from tests.helpers.relatives import chain, examples


def test_each_edge_is_a_query_that_masks_it() -> None:
    given = examples([chain("father sister", "aunt"), chain("wife daughter", "daughter", [("e0", "daughter", "e2")])])
    every = add_edge_queries(given, 100, seed=0)
    assert len(every) == 2 + 5
    assert every[:2] == given
    for example in every[2:]:
        asked = (example.source, example.answer_name, example.target)
        place = example.graph.triples().index(asked)
        assert example.masked_fact == example.graph.facts[place]
        assert example.hops == 0


def test_many_edges_are_sampled() -> None:
    given = examples([chain("father sister", "aunt")] * 8)
    first, again, other = (add_edge_queries(given, 5, seed) for seed in (0, 0, 1))
    assert len(first) == 8 + 5
    assert first == again != other


def test_graphs_without_a_query_are_left_out() -> None:
    given = examples([chain("father sister", "aunt"), chain("wife daughter", "daughter")])
    assert {example.answer_name for example in add_edge_queries(given[:1], 100, seed=0)} == {
        "aunt",
        "father",
        "sister",
    }
