"""Each triangle is read six ways."""

from __future__ import annotations

import numpy as np

from r5.composition.converses import agreement, find_converse, over_triangles
from r5.data.generators.algebra.algebras import intervals


def test_triangle_is_read_in_six_ways() -> None:
    table = intervals().table.astype(float)
    converse = find_converse(table)
    assert np.array_equal(over_triangles(table, converse), 6.0 * table)
    assert agreement(table, converse) == 1.0


def test_empty_counts_have_no_agreement() -> None:
    assert agreement(np.zeros((2, 2, 2)), np.arange(2)) == 0.0
    assert find_converse(np.zeros((3, 3, 3))).tolist() == [0, 1, 2]
