from __future__ import annotations

import numpy as np
import pytest

from r5.data.one_graph import dataset_from_graph, dataset_on, dataset_with_splits
from r5.dataset import Dataset
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph


def asked(examples: Examples) -> list[tuple[str, str | None, str]]:
    return [(example.source, example.answer_name, example.target) for example in examples]


def test_held_out_facts_leave_the_graph() -> None:
    graph = Graph.from_triples([(f"n{i}", "r", f"n{i + 1}") for i in range(20)], inverse=True)
    data = dataset_from_graph(graph, valid_fraction=0.1, test_fraction=0.25, seed=3)
    assert (len(data.train), len(data.valid), len(data.test)) == (13, 2, 5)
    rest = data.train.pool
    assert rest is data.valid.pool is data.test.pool
    assert rest.entities == graph.entities
    assert rest.number_of_edges == 26
    held_out = asked(data.valid) + asked(data.test)
    assert not set(held_out) & set(rest.triples())
    assert sorted(held_out + asked(data.train)) == sorted(graph.triples()[:20])
    assert (data.test.masked_facts == -1).all()
    assert (data.train.masked_facts >= 0).all()


def test_added_fact_of_a_query_is_masked() -> None:
    rows = [(f"n{i}", "r", f"n{i + 1}") for i in range(20)]
    data = dataset_from_graph(Graph.from_triples(rows, inverse=True), test_fraction=0.2)
    assert data.graph is not None
    first = data.test[0]
    fact = (first.source, "r", first.target)
    wider = dataset_on(data, data.graph.with_triples([fact, ("n0", "s", "new")]))
    assert wider.graph is not None
    assert wider.graph.entities[-1] == "new"
    for split in ("train", "valid", "test"):
        assert asked(wider.split(split)) == asked(data.split(split))
    assert wider.train.masked_facts.tolist() == data.train.masked_facts.tolist()
    masked = wider.graph.facts == wider.test.masked_facts[0]
    triples = wider.graph.triples()
    assert [triples[edge] for edge in masked.nonzero()[0]] == [fact, (first.target, "r^-1", first.source)]
    assert (wider.test.masked_facts[1:] == -1).all()


def test_facts_are_added_to_one_graph_only() -> None:
    data = Dataset("many", *(Examples.from_edges(Graph.from_triples([("a", "r", "b")])) for _ in range(3)))
    with pytest.raises(R5Error, match="many: each example has a graph of its own"):
        dataset_on(data, data.train.pool)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"sample": -1}, "sample must be a whole number of at least 0, not -1"),
        ({"sample": 1, "seed": -3}, "seed must be a whole number"),
        ({"valid_fraction": 0.5, "test_fraction": 0.5}, "must sum to less than 1"),
        ({"valid_fraction": -0.1}, "valid_fraction must be a number from 0 to 1"),
        ({"test_fraction": "half"}, "test_fraction must be a number"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, float], complaint: str) -> None:
    graph = Graph.from_triples([("a", "r", "b"), ("b", "r", "c")])
    with pytest.raises(R5Error, match=complaint):
        dataset_from_graph(graph, **options)  # type: ignore[arg-type]


def test_a_graph_without_edges() -> None:
    with pytest.raises(R5Error, match="no edges"):
        dataset_from_graph(Graph.from_triples([]))


def background(examples: Examples) -> list[tuple[str, str, str]]:
    there = np.isin(examples.pool.facts, examples.background)
    return [row for row, given in zip(examples.pool.triples(), there, strict=True) if given]


def test_facts_without_a_query_are_background() -> None:
    rows = {
        "facts": [("a", "r", "b"), ("b", "r", "c"), ("c", "r", "d")],
        "train": [("a", "s", "c"), ("b", "r", "c")],
        "test": [("b", "s", "d"), ("c", "r", "d")],
    }
    data = dataset_with_splits("kg", rows)
    assert [background(split) for split in (data.train, data.valid, data.test)] == [[("a", "r", "b")]] * 3
    assert not len(dataset_with_splits("kg", {"train": rows["facts"]}).train.background)


def test_facts_that_are_not_sampled_are_background() -> None:
    graph = Graph.from_triples([(f"n{i}", "r", f"n{i + 1}") for i in range(20)])
    data = dataset_from_graph(graph, sample=4, test_fraction=0.25)
    assert len(background(data.train)) == 11
    assert not set(background(data.train)) & {*asked(data.train), *asked(data.test)}
    assert not len(dataset_from_graph(graph, test_fraction=0.25).train.background)
