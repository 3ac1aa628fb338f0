"""Edges as further questions: each is asked for once, with itself out of sight."""

from __future__ import annotations

from r5.baselines.edge_questions import with_edge_questions
from tests.helpers.relatives import chain, examples


def test_each_edge_is_a_question_that_hides_it() -> None:
    given = examples([chain("father sister", "aunt"), chain("wife daughter", "daughter", [("e0", "daughter", "e2")])])
    every = with_edge_questions(given, 100, seed=0)
    assert len(every) == 2 + 5
    assert every[:2] == given
    for example in every[2:]:
        asked = (example.source, example.answer_name, example.target)
        place = example.graph.triples().index(asked)
        assert example.masked_fact == example.graph.facts[place]
        assert example.hops == 0


def test_of_many_edges_some_are_drawn() -> None:
    given = examples([chain("father sister", "aunt")] * 8)
    first, again, other = (with_edge_questions(given, 5, seed) for seed in (0, 0, 1))
    assert len(first) == 8 + 5
    assert first == again != other


def test_only_graphs_that_are_asked_about_count() -> None:
    given = examples([chain("father sister", "aunt"), chain("wife daughter", "daughter")])
    assert {example.answer_name for example in with_edge_questions(given[:1], 100, seed=0)} == {
        "aunt",
        "father",
        "sister",
    }
