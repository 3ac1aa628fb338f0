"""Data sets with a training graph and an inference graph."""

from __future__ import annotations

from r5.data.inductive import inductive_dataset

OLD = [("Ann", "mother", "Eve"), ("Eve", "sister", "Zoe")]
NEW = [("Ida", "mother", "Kim"), ("Kim", "aunt", "Leo")]


def test_test_queries_are_over_the_inference_graph() -> None:
    data = inductive_dataset("people", {"train": OLD}, {"train": NEW, "test": [("Leo", "sister", "Max")]})
    assert data.graph is None
    assert data.inference is not None
    assert data.inference.name == "people/inference"
    assert data.test.pool is data.inference.graph
    assert data.inference.graph.triples() == NEW
    assert data.train.pool.triples() == OLD
    assert data.train.vocabulary.known == ("aunt", "mother", "sister")
    assert data.test[0].answer_name == "sister"


def test_valid_is_that_of_the_training_graph_if_there_is_one() -> None:
    inference = {"train": NEW, "valid": [("Kim", "sister", "Leo")], "test": NEW[:1]}
    data = inductive_dataset("people", {"train": OLD}, inference)
    assert data.valid[0].graph.entities[data.valid[0].query.source] == "Kim"
    data = inductive_dataset("people", {"train": OLD, "valid": [("Zoe", "sister", "Ann")]}, inference)
    assert data.valid[0].graph.entities[data.valid[0].query.source] == "Zoe"
    assert data.valid.pool is data.train.pool
    assert data.inference is not None
    assert len(data.inference.valid) == 1


def test_test_triples_of_the_training_graph_are_left_out() -> None:
    data = inductive_dataset("people", {"train": OLD, "test": [("Zoe", "sister", "Eve")]}, {"train": NEW})
    assert len(data.test) == 0


def test_added_inverses_are_those_of_all_relations() -> None:
    data = inductive_dataset("people", {"train": OLD}, {"train": NEW}, inverse=True)
    assert len(data.vocabulary) == 6
    assert data.test.vocabulary == data.train.vocabulary
