"""Corpus: equal queries become one, and those without a path are left out."""

from __future__ import annotations

import pytest

from r5.grammar.corpus.batches import make_batch
from r5.grammar.corpus.corpus import Corpus, WeightedExample


def test_equal_examples_are_merged_with_their_weight() -> None:
    corpus = Corpus.of([((1, 0), (0, 1)), ((0, 1), (1, 0)), ((0, 1),), ()], [2, 2, 2, 2], relations=3)
    assert corpus.examples == (WeightedExample(((0, 1),), 2, 1.0), WeightedExample(((0, 1), (1, 0)), 2, 2.0))
    assert corpus.weight == 3.0


def test_example_length_is_that_of_its_shortest_path() -> None:
    corpus = Corpus.of([((0, 1, 1), (0, 1)), ((1, 1, 1),)], [0, 0], relations=2)
    assert corpus.lengths == [2, 3]
    assert [q.length for q in corpus.up_to(2).examples] == [2]


def test_single_path_has_no_background() -> None:
    (plan,) = Corpus.of([((0, 1),), ((0, 0), (1, 1))], [0, 1], relations=2).plans()
    batch = make_batch(plan)
    single = batch.example_of == 1
    assert batch.background[single].tolist() == [0.0]
    assert (batch.background[~single] < 0).all()


def test_empty_corpus_has_no_batches() -> None:
    assert Corpus.of([()], [0], relations=1).plans() == []


def test_shortest_part_has_the_weight_of_the_whole_corpus() -> None:
    paths = [((n, n),) for n in range(4)] + [((n, 0, n, 1),) for n in range(4)]
    corpus = Corpus.of(paths, [0] * 8, relations=4)
    few = corpus.shortest_part(20)
    assert sorted(query.length for query in few.examples)[:5] == [2, 2, 2, 2, 4]
    assert len(few.examples) < 8
    assert few.weight == pytest.approx(corpus.weight)
    assert corpus.shortest_part(1000) is corpus
    assert len(corpus.shortest_part(1).examples) == 1
