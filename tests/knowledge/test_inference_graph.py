"""Choice of the graph that queries are answered on."""

from __future__ import annotations

import pytest

from r5.graph import Graph
from r5.knowledge.inference_graph import GraphKind, choose_inference_graph

TRAINING = Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "sister", "Zoe"), ("Zoe", "sister", "Eve")])


def test_known_entities_are_asked_on_the_training_graph() -> None:
    chosen = choose_inference_graph(TRAINING, Graph.from_triples(TRAINING.triples()))
    assert (chosen.kind, chosen.known_entities, chosen.known_facts) == ("training", 3, 3)
    assert chosen.graph is TRAINING
    part = Graph.from_triples(TRAINING.triples()[:1])
    chosen = choose_inference_graph(TRAINING, part)
    assert (chosen.kind, chosen.facts) == ("training", 1)
    assert chosen.graph is TRAINING
    assert sorted(chosen.pool.triples()) == sorted(TRAINING.triples())
    assert chosen.pool.entities[: part.number_of_nodes] == part.entities


def test_new_entities_alone_are_asked_on_their_own_graph() -> None:
    given = Graph.from_triples([("a", "mother", "b"), ("b", "sister", "c")])
    chosen = choose_inference_graph(TRAINING, given)
    assert (chosen.kind, chosen.entities, chosen.known_entities) == ("data", 3, 0)
    assert chosen.graph is chosen.pool is given
    assert chosen.describe("family") == (
        "all 3 entities of family are new to the model: queries are answered on the 2 facts of family alone"
    )


def test_old_and_new_entities_are_asked_on_both_graphs() -> None:
    given = Graph.from_triples([("a", "mother", "Ann"), ("Ann", "mother", "Eve")])
    chosen = choose_inference_graph(TRAINING, given)
    assert (chosen.kind, chosen.known_entities, chosen.facts, chosen.known_facts) == ("merged", 2, 2, 1)
    assert sorted(chosen.graph.triples()) == sorted({*TRAINING.triples(), *given.triples()})
    assert chosen.describe("family") == (
        "1 of 3 entities of family are new to the model: "
        "queries are answered on its training graph and 1 more facts of family"
    )


def test_new_facts_about_old_entities_are_added() -> None:
    given = Graph.from_triples([("Zoe", "mother", "Ann")])
    chosen = choose_inference_graph(TRAINING, given)
    assert chosen.kind == "merged"
    assert chosen.describe("more").startswith("the model knows all 2 entities of more: ")


@pytest.mark.parametrize(("kind", "facts"), [("training", 3), ("data", 2), ("merged", 4)])
def test_requested_kind_of_graph_is_used(kind: GraphKind, facts: int) -> None:
    given = Graph.from_triples([("a", "mother", "Ann"), ("Ann", "mother", "Eve")])
    chosen = choose_inference_graph(TRAINING, given, kind)
    assert chosen.kind == chosen.to_json()["kind"] == kind
    assert chosen.graph.number_of_edges == facts
    assert set(given.entities) <= set(chosen.graph.entities)


def test_inverse_edges_belong_to_their_facts() -> None:
    training, given = TRAINING.with_inverses(), Graph.from_triples([("Ann", "aunt", "Zoe")], inverse=True)
    assert choose_inference_graph(training, training).kind == "training"
    chosen = choose_inference_graph(training, given)
    assert (chosen.kind, chosen.facts, chosen.known_facts) == ("merged", 1, 0)
