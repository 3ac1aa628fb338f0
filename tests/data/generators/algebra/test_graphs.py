"""Generated graphs leave one answer, by all their paths and no fewer steps."""

from __future__ import annotations

import numpy as np
import pytest

from r5.data.generators.algebra.algebras import named_algebra
from r5.data.generators.algebra.graphs import AlgebraGraphs, possible_answers
from r5.paths.branches import branches_between


@pytest.mark.parametrize("name", ["rcc8", "interval", "point", "directions"])
@pytest.mark.parametrize("nested", [0.0, 0.3])
def test_branches_leave_the_answer_only(name: str, nested: float) -> None:
    algebra = named_algebra(name)
    graphs = AlgebraGraphs(algebra, nested)
    rng = np.random.default_rng(0)
    for _ in range(20):
        edges, answer = graphs.draw(5, 2, rng)
        nodes = 1 + max(max(source, target) for source, _, target in edges)
        left = possible_answers(algebra, edges, nodes)
        assert np.flatnonzero(left).tolist() == [answer]
        assert branches_between([(s, t) for s, _, t in edges], 0, 1) >= 2
        assert _lengths(edges) == {5}


def test_branches_together_decide_the_answer() -> None:
    algebra = named_algebra("interval")
    graphs = AlgebraGraphs(algebra)
    rng = np.random.default_rng(1)
    alone = 0
    for _ in range(50):
        edges, _ = graphs.draw(2, 3, rng)
        for middle in {source for source, _, _ in edges} - {0}:
            path = [relation for source, relation, target in edges if middle in (source, target)]
            alone += int(algebra.along(path).sum() == 1)
    assert alone < 50


def _lengths(edges: list[tuple[int, int, int]]) -> set[int]:
    found, waiting = set(), [(0, 0)]
    while waiting:
        node, length = waiting.pop()
        if node == 1:
            found.add(length)
        waiting += [(target, length + 1) for source, _, target in edges if source == node]
    return found
