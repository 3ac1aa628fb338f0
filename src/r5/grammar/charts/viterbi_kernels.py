"""Backtrace of the most likely derivation."""

from __future__ import annotations

import math

import numpy as np

from r5._util.kernels.comparison_kernels import is_greater
from r5._util.kernels.compilation import njit_entry, njit_private
from r5.grammar.charts.cell_kernels import (
    Array,
    Chart,
    RuleArrays,
    SpanArrays,
    clear_cell,
    expand_cell,
)

__all__ = ["backtrace"]


@njit_private
def _best_split(
    spans: SpanArrays, rules: RuleArrays, chart: Chart, span_at: tuple[int, int], head: int
) -> tuple[int, int, int, int]:  # pragma: no cover
    """Return the size of the left part, the two relations and the rule (-1: background) of the best split.

    The span is given as a token and a length. Of splits equal up to rounding the first is taken: by position, leftmost
    first, by the rule's left relation, its right one, and last the background.
    """
    token, length = span_at
    exponent = chart.exponents[spans.span_of[length - 1, token]]
    other_buffer = np.zeros(rules.background.size)
    top = -1.0
    found = (1, head, head, -1)  # where nothing has a derivation
    for size in range(1, length):
        left = spans.span_of[size - 1, token]
        right = spans.span_of[length - size - 1, token + size]
        if chart.filled[left] == 0 or chart.filled[right] == 0:
            continue
        factor = math.ldexp(1.0, chart.exponents[left] + chart.exponents[right] - exponent)
        other = expand_cell(chart, right, chart.values, other_buffer)
        for n in range(chart.starts[left], chart.starts[left] + chart.filled[left]):
            a = chart.relations[n]
            x = chart.values[n] * factor
            for p in range(rules.pair_start[a], rules.pair_start[a + 1]):
                y = x * other[rules.pair_right[p]]
                for r in range(rules.rule_start[p], rules.rule_start[p + 1]):
                    value = y * (rules.rule_weight[r] + rules.background[head])
                    if rules.rule_head[r] == head and is_greater(value, top):
                        top = value
                        found = (size, a, rules.pair_right[p], r)
        value = factor * chart.sums[left] * chart.sums[right] * rules.background[head]
        if is_greater(value, top):
            top = value
            found = (size, _likeliest(chart, left), _likeliest(chart, right), -1)
        clear_cell(chart, right, other_buffer)
    return found


@njit_private
def _likeliest(chart: Chart, span: int) -> int:  # pragma: no cover
    """Return the most likely relation of a span, the first of those equal up to rounding."""
    place = chart.starts[span]
    for n in range(chart.starts[span], chart.starts[span] + chart.filled[span]):
        if is_greater(chart.values[n], chart.values[place]):
            place = n
    return int(chart.relations[place])


@njit_entry
def backtrace(
    spans: SpanArrays, rules: RuleArrays, chart: Chart, span_at: tuple[int, int], answer: int
) -> tuple[Array, Array]:  # pragma: no cover
    """Return the most likely derivation of `answer` over a span (token, length), from a chart of `best`.

    Returns the relation at each leaf [length] and, for each rule used, parents first, left before right:
    its start, its head and its index, -1 for the background, [length - 1, 3].
    """
    token, length = span_at
    leaves = np.zeros(length, np.int32)
    steps = np.zeros((length - 1, 3), np.int64)
    stack = [(0, length, answer)]
    used = 0
    while len(stack) > 0:
        start, size, head = stack.pop()
        if size == 1:
            leaves[start] = head
            continue
        first, left, right, rule = _best_split(spans, rules, chart, (token + start, size), head)
        steps[used, 0] = start
        steps[used, 1] = head
        steps[used, 2] = rule
        used += 1
        stack.append((start + first, size - first, right))
        stack.append((start, first, left))
    return leaves, steps
