"""Chart kernels that draw derivations at random, each as often as it is likely, for what they take the edges to be."""

from __future__ import annotations

import math
from typing import NamedTuple

from r5._util.kernels import int64, njit_free, njit_inner, njit_shared
from r5.grammar.charts.cell_kernels import Array, Chart, SpanArrays

__all__ = ["HeadArrays", "SampleRequest", "draw"]


class HeadArrays(NamedTuple):
    """Rules in rows by their heads."""

    start: Array  # [relations + 1]
    left: Array  # [rules]
    right: Array  # [rules]
    weight: Array  # [rules]
    background: Array  # [relations], of each pair beside that


class SampleRequest(NamedTuple):
    """What is to be drawn, and room for it."""

    tokens: Array  # [stretches]
    lengths: Array  # [stretches]
    draws: Array  # [stretches, relations], the number of derivations of each head
    numbers: Array  # [most draws, longest], from 0 to 1: a row for a derivation, one for each rule that it uses
    leaves: Array  # [edges of all that is drawn]
    distinct: Array  # [stretches], how many different sequences were drawn
    stack: Array  # [longest, 3]


@njit_inner
def _value(chart: Chart, span: int, relation: int, relations: int) -> float:  # pragma: no cover
    """What a cell holds for a relation, 0 where it has no derivation."""
    first, filled = chart.starts[span], chart.filled[span]
    if filled == relations:
        return chart.values[first + relation]  # type: ignore[no-any-return]
    last = first + filled
    while first < last:
        middle = (first + last) // 2
        if chart.relations[middle] < relation:
            first = middle + 1
        else:
            last = middle
    there = first < chart.starts[span] + filled and chart.relations[first] == relation
    return chart.values[first] if there else 0.0


@njit_shared
def _any(chart: Chart, span: int, number: float) -> tuple[int, float]:  # pragma: no cover
    """A relation of a cell by a number from 0 to 1, each as often as its value says; and what is left of the number."""
    start, stop = chart.starts[span], chart.starts[span] + chart.filled[span]
    goal = number * chart.sums[span]
    place = start
    while place < stop - 1 and goal >= chart.values[place]:
        goal -= chart.values[place]
        place += 1
    return int64(chart.relations[place]), min(goal / chart.values[place], 1.0)


@njit_shared
def _split(
    spans: SpanArrays, rules: HeadArrays, chart: Chart, stretch: tuple[int, int, int], number: float
) -> tuple[int, int, int]:  # pragma: no cover
    """The size of the left part and the two relations that a head becomes, by a number from 0 to 1.

    The stretch is a token, a length and the head.
    """
    token, length, head = stretch
    relations = rules.background.size
    whole = spans.span_of[length - 1, token]
    goal = number * _value(chart, whole, head, relations)
    found = (int64(1), head, head)
    for size in range(1, length):
        left = spans.span_of[size - 1, token]
        right = spans.span_of[length - size - 1, token + size]
        if chart.filled[left] == 0 or chart.filled[right] == 0:
            continue
        factor = math.ldexp(1.0, chart.exponents[left] + chart.exponents[right] - chart.exponents[whole])
        share = factor * rules.background[head] * chart.sums[left] * chart.sums[right]
        if goal < share:
            a, rest = _any(chart, left, goal / share)
            b, _ = _any(chart, right, rest)
            return int64(size), a, b
        goal -= share
        for r in range(rules.start[head], rules.start[head + 1]):
            a, b = int64(rules.left[r]), int64(rules.right[r])
            share = factor * rules.weight[r] * _value(chart, left, a, relations) * _value(chart, right, b, relations)
            if share > 0.0:
                found = (int64(size), a, b)  # the last of all, where rounding leaves something of the goal
                if goal < share:
                    return found
                goal -= share
    return found


@njit_shared
def _draw_one(
    spans: SpanArrays, rules: HeadArrays, chart: Chart, drawing: SampleRequest, at: tuple[int, int, int, int]
) -> None:  # pragma: no cover
    """What one derivation takes the edges to be; `at` is the stretch, the answer, the row of numbers and the place."""
    stretch, answer, row, place = at
    token, stack = drawing.tokens[stretch], drawing.stack
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, drawing.lengths[stretch], answer
    waiting, used = 1, 0
    while waiting > 0:
        waiting -= 1
        start, size, head = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        if size == 1:
            drawing.leaves[place + start] = head
            continue
        first, left, right = _split(spans, rules, chart, (token + start, size, head), drawing.numbers[row, used])
        used += 1
        stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = start + first, size - first, right
        stack[waiting + 1, 0], stack[waiting + 1, 1], stack[waiting + 1, 2] = start, first, left
        waiting += 2


@njit_inner
def _same(leaves: Array, first: int, second: int, length: int) -> bool:  # pragma: no cover
    n = 0
    while n < length and leaves[first + n] == leaves[second + n]:
        n += 1
    return n == length


@njit_free
def draw(spans: SpanArrays, rules: HeadArrays, chart: Chart, drawing: SampleRequest) -> int:  # pragma: no cover
    """Fill in what derivations of each stretch take the edges to be: the distinct sequences one after the other.

    Returns how many leaves that is. Of each stretch and head the rows of numbers are used from the first on.
    """
    place = int64(0)
    for stretch in range(drawing.tokens.size):
        length, first = drawing.lengths[stretch], place
        for head in range(drawing.draws.shape[1]):
            for row in range(drawing.draws[stretch, head]):
                _draw_one(spans, rules, chart, drawing, (int64(stretch), int64(head), int64(row), place))
                before = first
                while before < place and not _same(drawing.leaves, before, place, length):
                    before += length
                if before == place:
                    drawing.distinct[stretch] += 1
                    place += length
    return place
