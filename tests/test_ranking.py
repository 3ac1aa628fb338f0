"""Ranks as a frame: a row for each query, whose figures are those of the ranking."""

from __future__ import annotations

import numpy as np
import pytest

import r5
from r5._util.frames import columns_of
from tests.helpers.completing import GRAPH, StandIn


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_each_query_has_a_row_with_its_rank(library: str) -> None:
    pytest.importorskip(library)
    frame = r5.rank(StandIn(), r5.Examples.from_edges(GRAPH)).to_frame(library)
    assert list(frame.columns) == ["head", "relation", "tail", "direction", "rank"]
    head, relation, tail, direction, rank = columns_of(frame, range(5))
    asked = list(zip(head, relation, tail, strict=True))
    assert asked[::2] == asked[1::2] == GRAPH.triples()
    assert direction == ["tail", "head"] * 4
    assert rank == [2.0, 4.0] * 4  # the tail is first with two ties, the head fourth


def test_known_facts_may_be_one_set_of_examples() -> None:
    examples = r5.Examples.from_edges(GRAPH)
    assert r5.rank(StandIn(), examples, examples).mrr == r5.rank(StandIn(), examples, [examples]).mrr


def test_the_figures_are_those_of_the_rows() -> None:
    pytest.importorskip("pandas")
    examples = r5.Examples.from_edges(GRAPH).with_answers([None, "sister", "sister", "aunt"])
    ranking = r5.rank(StandIn(), examples, ties="pessimistic")
    frame = ranking.to_frame()
    assert len(frame) == ranking.n == 6
    assert (1 / frame["rank"]).mean() == pytest.approx(ranking.mrr)
    assert (frame["rank"] <= 3).mean() == ranking.hits[3]
    by_direction = frame.groupby("direction")["rank"].apply(lambda ranks: np.mean(1 / ranks))
    assert by_direction["head"] == pytest.approx(ranking.by_direction["head"]["mrr"])
    assert set(frame["relation"]) == set(ranking.by_relation)
    assert len(r5.rank(StandIn(), examples[:1]).to_frame()) == 0
