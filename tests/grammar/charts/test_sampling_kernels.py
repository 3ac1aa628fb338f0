"""Derivations that are drawn: just those of a slow twin, and each as often as it is likely."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from r5._util.ragged import Ragged
from r5.grammar.charts.filling import inside
from r5.grammar.charts.sampling_kernels import HeadArrays, SampleRequest, draw
from r5.grammar.charts.spans import Spans
from r5.grammar.model import Grammar
from r5.grammar.rule_index import RuleIndex, every_pair
from tests.grammar.test_charts import cases
from tests.oracle.drawing import drawn
from tests.oracle.grammar import ExactGrammar, total, trees

Case = tuple[ExactGrammar, Grammar, list[tuple[int, ...]]]


def _by_head(model: Grammar) -> HeadArrays:
    order, start = model.support.by_head
    lefts, rights = model.support.lefts[order], model.support.rights[order]
    return HeadArrays(start, lefts, rights, model.weight[order], model.background)


def _draw(
    model: Grammar, paths: list[tuple[int, ...]], draws: NDArray[np.int64], numbers: NDArray[np.float64]
) -> list[list[tuple[int, ...]]]:
    """The distinct sequences that are drawn over each path."""
    rows = Ragged.of(paths)
    spans = Spans.of(rows, model.relations)
    chart = inside(spans.arrays, model.arrays)
    lengths = np.diff(rows.offsets)
    room = np.empty(int((lengths * draws.sum(axis=1)).sum()), dtype=np.int32)
    distinct, stack = np.zeros(len(paths), dtype=np.int64), np.empty((int(lengths.max()), 3), dtype=np.int64)
    drawing = SampleRequest(rows.offsets[:-1], lengths, draws, numbers, room, distinct, stack)
    leaves = iter(room[: draw(spans.arrays, _by_head(model), chart, drawing)].tolist())
    return [
        [tuple(next(leaves) for _ in range(length)) for _ in range(count)]
        for length, count in zip(lengths.tolist(), distinct.tolist(), strict=True)
    ]


@settings(max_examples=50, deadline=None)
@given(cases(), st.integers(0, 2**32 - 1))
def test_derivations_are_those_of_a_slow_twin(case: Case, seed: int) -> None:
    grammar, model, paths = case
    numbers = np.random.default_rng(seed).random((3, 4))
    possible = [[total(grammar, head, path) > 0 for head in range(grammar.relations)] for path in paths]
    draws = np.where(possible, 3, 0)
    background = [Fraction(float(x)) for x in model.background]
    for path, heads, found in zip(paths, draws, _draw(model, paths, draws, numbers), strict=True):
        wanted = [
            drawn(grammar, background, head, path, iter(numbers[row].tolist()))
            for head in range(grammar.relations)
            for row in range(heads[head])
        ]
        assert found == list(dict.fromkeys(wanted))


def test_each_is_drawn_as_often_as_it_is_likely() -> None:
    """Two relations, each observed as the other one time in four, and two rules as likely as one another."""
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    every = {(h, a, b): Fraction(0) for h in (0, 1) for a in (0, 1) for b in (0, 1)}
    grammar = ExactGrammar(
        2, {**every, (0, 0, 0): quarter, (0, 1, 1): quarter}, [[half * 3 / 4, half / 4], [half / 4, half * 3 / 4]]
    )
    support = RuleIndex.of(2, [0, 0], [0, 1], [0, 1], confusions=every_pair(2), open=True)
    true, observed = support.leaves
    model = Grammar(
        support=support,
        weight=np.full(2, 0.25),
        background=np.zeros(2),
        stop=np.full(2, 0.5),
        confusion=np.where(true == observed, 0.75, 0.25),
        stray=np.zeros(2),
        prior=np.full(2, 0.5),
        log_frequency=np.zeros(3),
    )
    path, times = (0, 1, 1), 4000
    likely: Counter[tuple[int, ...]] = Counter()
    for tree in trees(grammar, 0, path):
        likely[tree.leaves] += tree.probability / total(grammar, 0, path)  # type: ignore[assignment]
    numbers = np.random.default_rng(0).random((times, 1, 3))
    often = Counter(_draw(model, [path], np.array([[1, 0]]), row)[0][0] for row in numbers)
    assert len(likely) == 3
    for leaves, chance in likely.items():
        assert abs(often[leaves] / times - float(chance)) < 4 * 0.5 / times**0.5
