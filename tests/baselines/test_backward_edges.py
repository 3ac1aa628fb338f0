"""Edges that can be walked backwards stay with their graph, and are hidden with the fact that they belong to."""

from __future__ import annotations

from r5.baselines.backward_edges import with_backward_edges
from tests.helpers.relatives import chain, examples

GIVEN = examples([chain("father sister", "aunt"), chain("wife daughter son", "grandson")])


def test_each_graph_has_its_own_edges_both_ways() -> None:
    for before, after in zip(GIVEN, with_backward_edges(GIVEN), strict=True):
        triples = before.graph.triples()
        assert sorted(after.graph.triples()) == sorted(triples + [(t, f"{r}^-1", s) for s, r, t in triples])
        assert (before.source, before.target, before.answer_name) == (after.source, after.target, after.answer_name)


def test_an_edge_and_its_inverse_are_one_fact() -> None:
    for example in with_backward_edges(GIVEN):
        fact_of = dict(zip(example.graph.triples(), example.graph.facts.tolist(), strict=True))
        forward = [(s, r, t) for s, r, t in fact_of if not r.endswith("^-1")]
        assert len({fact_of[edge] for edge in forward}) == len(forward)
        assert all(fact_of[s, r, t] == fact_of[t, f"{r}^-1", s] for s, r, t in forward)
