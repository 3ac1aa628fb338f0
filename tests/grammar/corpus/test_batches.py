"""Batches: queries as columns, and where they are cut."""

from __future__ import annotations

import numpy as np
import pytest

from r5.grammar.corpus.batches import ExampleColumns, WeightedExample

ROWS = [
    WeightedExample(((0, 1), (2, 2, 2)), 1, 2.0),
    WeightedExample(((1, 1, 1),), 0, 1.0),
    WeightedExample(((2,), (0, 0), (1, 0)), 2, 0.5),
]


def test_rows_round_trip_through_columns() -> None:
    columns = ExampleColumns.of(ROWS)
    assert list(columns.rows()) == ROWS
    assert columns.lengths.tolist() == [2, 3, 1]
    assert list(columns.part(1, 3).rows()) == ROWS[1:]
    assert list(columns.take(np.array([2, 0])).rows()) == [ROWS[2], ROWS[0]]
    turned = columns.renamed(np.array([2, 1, 0], dtype=np.int32))
    assert next(turned.rows()) == (((2, 1), (0, 0, 0)), 1, 2.0)
    assert list(ExampleColumns.of([]).rows()) == []
    assert ExampleColumns.of([]).lengths.size == 0


def test_occurrences_on_several_paths_share_the_weight_of_the_example() -> None:
    found = ExampleColumns.of(ROWS).occurrences(4)
    assert found.tolist() == pytest.approx([1.0 + 3 * 0.5 / 3, 1.0 + 3.0 + 0.5 / 3, 3.0 + 0.5 / 3, 0.0])


@pytest.mark.parametrize("limit", [1, 20, 45, 10**6])
def test_batches_are_even_in_number_and_of_about_equal_size(limit: int) -> None:
    rows = [WeightedExample(((n % 3, 1, 2),), 0, 1.0) for n in range(12)]
    cuts = ExampleColumns.of(rows).cuts(3, limit)
    sizes = [18 * (last - first) for first, last in cuts]
    assert [first for first, _ in cuts] + [12] == [0] + [last for _, last in cuts]
    assert len(cuts) in (1, 6, 12)
    assert max(sizes) <= limit + 18
    assert max(sizes) - min(sizes) <= 18
    assert ExampleColumns.of([]).cuts(3) == []
