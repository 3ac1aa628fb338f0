"""Query, Example, Examples, Ragged and Dataset."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest

from r5._util.frames import columns_of
from r5._util.ragged import Ragged
from r5.data.builder import DatasetBuilder, Row
from r5.dataset import Dataset
from r5.errors import MissingExtraError, R5Error
from r5.examples import Example, Examples, Query
from r5.graph import Graph
from r5.relations import Vocabulary
from r5.rules.ruleset import Rule, RuleSet

STORY = Row(
    edges=[("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")],
    source="Ann",
    target="Tom",
    answer="uncle",
    resolution=("Ann", "Eve", "Tom"),
)
LONGER = Row(
    edges=[("Bob", "wife", "Eve"), ("Eve", "mother", "Ida"), ("Ida", "brother", "Max"), ("Max", "son", "Leo")],
    source="Bob",
    target="Max",
    answer=None,
    resolution=("Bob", "Eve", "Ida", "Max"),
    descriptor=("wife", "mother", "brother"),
)


def small() -> Dataset:
    builder = DatasetBuilder("small")
    builder.add("train", STORY)
    builder.add("train", LONGER)
    builder.add("test", STORY)
    return builder.build(RuleSet.of([Rule("uncle", ("mother", "brother"))]))


def test_an_example_is_a_view_with_its_own_node_ids_and_names() -> None:
    example = small().train[1]
    assert (example.source, example.target, example.answer_name) == ("Bob", "Max", None)
    assert example.query == Query(0, 3)
    assert example.graph.triples() == list(LONGER.edges)
    assert example.resolution == (0, 1, 2, 3)
    assert example.graph.vocabulary.names(example.descriptor) == LONGER.descriptor
    assert example.hops == 3


def test_single_examples_gather_into_the_same_columns() -> None:
    train = small().train
    assert Examples.of(list(train)) == train
    assert Examples.of([], train.vocabulary) == Examples.empty(train.vocabulary)
    assert train != small().test
    assert train != 3


def test_examples_that_share_a_graph_share_it_when_gathered() -> None:
    graph = Graph.from_triples([("a", "r", "b"), ("b", "s", "c")])
    examples = Examples.of([Example(graph, Query(0, 2), masked_fact=1), Example(graph, Query(1, 2), 0)])
    assert repr(examples) == "Examples(2 over 1 graphs)"
    assert examples.masked_facts.tolist() == [1, -1]
    assert examples[0].graph is graph


def test_gathering_refuses_mixed_vocabularies() -> None:
    one = Example(Graph.from_triples([("a", "r", "b")]), Query(0, 1))
    other = Example(Graph.from_triples([("a", "s", "b")]), Query(0, 1))
    with pytest.raises(R5Error, match="one vocabulary"):
        Examples.of([one, other])


def test_slices_and_selections_keep_the_pool() -> None:
    train = small().train
    assert train[::-1][0].source == "Bob"
    assert train[1:] == train.select([1])
    assert train[-1].source == "Bob"
    assert train.select([1]).pool is train.pool
    with pytest.raises(IndexError):
        train[2]


def test_each_edge_becomes_an_example_that_lacks_it() -> None:
    graph = Graph.from_triples([("a", "r", "b"), ("b", "s", "c"), ("a", "r", "b")], inverse=True)
    examples = Examples.from_edges(graph)
    assert [(e.source, e.answer_name, e.target) for e in examples] == [("a", "r", "b"), ("b", "s", "c")]
    assert examples.pool is graph
    sampled = Examples.from_edges(graph, limit=1, seed=3)
    assert len(sampled) == 1
    assert sampled == Examples.from_edges(graph, limit=1, seed=3)


def test_ragged_rows() -> None:
    ragged = Ragged.of([[1, 2], [], [3]])
    assert list(ragged.rows()) == [[1, 2], [], [3]]
    assert ragged.take(np.array([2, 0, 0])) == Ragged.of([[3], [1, 2], [1, 2]])
    assert ragged[0].tolist() == [1, 2]
    assert len(ragged) == 3
    assert ragged != [[1, 2], [], [3]]


def test_describe_counts_what_the_papers_tables_count() -> None:
    summary = small().describe()
    assert (summary.train, summary.valid, summary.test, summary.rules) == (2, 0, 1, 1)
    assert summary.relations == 5
    assert summary.classes == 1
    assert summary.distinct_paths == 2
    assert summary.average_resolution_length == pytest.approx((2 + 3 + 2) / 3)
    assert summary.average_nodes == pytest.approx((3 + 5 + 3) / 3)
    assert summary.average_edges == pytest.approx((2 + 4 + 2) / 3)
    assert "distinct paths            2" in str(summary)


def test_describe_says_what_is_not_known() -> None:
    graph = Graph.from_triples([("a", "r", "b")])
    none = Examples.empty(graph.vocabulary)
    summary = Dataset("one", Examples.from_edges(graph), none, none).describe()
    assert summary.distinct_paths is None
    assert summary.average_resolution_length is None
    assert Dataset("none", none, none, none).describe().average_nodes is None


def test_a_data_set_has_one_vocabulary_and_three_splits() -> None:
    data = small()
    assert data.split("test") is data.test
    with pytest.raises(R5Error, match="no split is called 'dev'; expected train, valid or test"):
        data.split("dev")
    with pytest.raises(R5Error, match="do not share one vocabulary"):
        Dataset("mixed", data.train, data.valid, Examples.empty(Vocabulary.of(["other"])))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_examples_as_a_frame(library: str) -> None:
    pytest.importorskip(library)
    train = small().train
    frame = train.to_frame(library)
    assert list(frame.columns) == ["graph", "source", "target", "answer", "hops"]
    graphs, sources, targets, answers, hops = columns_of(frame, range(5))
    assert graphs == [0, 1]
    assert (sources, targets) == ([one.source for one in train], [one.target for one in train])
    assert answers == ["uncle", None]
    assert hops == [2, 3]


def test_a_frame_without_pandas_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="pandas is not installed"):
        small().train.to_frame()


def test_a_hundred_thousand_examples_are_cheap() -> None:
    builder = DatasetBuilder("large")
    start = time.perf_counter()
    for _ in range(100_000):
        builder.add("train", STORY)
    train = builder.build().train
    seconds = time.perf_counter() - start
    assert len(train) == 100_000
    assert train[99_999].target == "Tom"
    assert seconds < 10, "well above the second or so it takes, well below a quadratic build"


def test_background_survives_selecting_and_collecting() -> None:
    graph = Graph.from_triples([("a", "r", "b"), ("b", "r", "c"), ("c", "s", "d")])
    other = Graph.from_triples([("x", "s", "y"), ("y", "r", "z")])
    examples = Examples.over(graph, [0, 1], [1, 2], [0, 0], graph.facts[:2], background=graph.facts[2:])
    kept = graph.facts[2:].tolist()
    names = ["s", "s"]
    for same in (examples[1:], examples.select([1, 0]), Examples.of([*examples]), examples.with_answers(names)):
        assert same.background.tolist() == kept
        assert same[0].background.tolist() == kept
    both = Examples.of([*Examples.over(other, [0], [1], [1], other.facts[:1], background=other.facts[1:]), *examples])
    assert both[0].background.tolist() == other.facts[1:].tolist()
    assert both[1].background.tolist() == kept
    assert [both.pool.triples()[e] for e in np.flatnonzero(np.isin(both.pool.facts, both.background))] == [
        ("y", "r", "z"),
        ("c", "s", "d"),
    ]
    assert both == Examples.of([*both])
    assert examples != Examples.over(graph, [0, 1], [1, 2], [0, 0], graph.facts[:2])
