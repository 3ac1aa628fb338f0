"""Numbers of node-disjoint paths."""

from __future__ import annotations

import numpy as np
import pytest

import r5
from r5.paths.branches import branches_between, count_branches


@pytest.mark.parametrize(
    ("edges", "count"),
    [
        ([(0, 1)], 0),
        ([(0, 2), (2, 1)], 1),
        ([(0, 2), (0, 3), (2, 4), (3, 4), (4, 1)], 1),
        ([(0, 2), (0, 3), (2, 4), (3, 4), (3, 5), (4, 1), (5, 1)], 2),
        ([(0, 2), (0, 3), (2, 4), (3, 4), (2, 5), (4, 1), (5, 1), (0, 0)], 2),
        ([(2, 0), (1, 2)], 0),
    ],
)
def test_branches_share_no_inner_node(edges: list[tuple[int, int]], count: int) -> None:
    assert branches_between(edges, 0, 1) == count


def test_branches_of_large_graphs_are_unknown() -> None:
    chain = r5.Graph.from_triples((f"n{i}", "next", f"n{i + 1}") for i in range(2001))
    assert count_branches(r5.Examples.over(chain, [0], [5], [-1])).tolist() == [0]
    assert count_branches(r5.load("rcc8", train=0, valid=0, test=9).test).tolist() == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert np.all(count_branches(r5.load("kinship", train=5, valid=0, test=1).test) >= 1)
