"""Chart kernels for the most likely derivation: `inside` with a maximum in place of the sum, and the way back."""

from __future__ import annotations

import math

import numpy as np

from r5._util.kernels import njit_entry, njit_private
from r5._util.order_kernels import beats
from r5.grammar.charts.cell_kernels import (
    Array,
    CellScratch,
    Chart,
    RuleArrays,
    SpanArrays,
    all_heads,
    base_exponent,
    clear,
    close,
    fill_leaf,
    grown,
    sort_heads,
    spread,
)

__all__ = ["backtrace", "viterbi_some"]


@njit_private
def _gather_best(
    scratch: CellScratch, spans: SpanArrays, rules: RuleArrays, chart: Chart, at: tuple[int, int]
) -> tuple[float, int]:  # pragma: no cover
    """As `_gather`, with the largest product in place of the sum."""
    span, base = at
    length = spans.lengths[span]
    token = spans.tokens[span]
    any_pair = 0.0
    rows = 0
    for size in range(1, length):
        left = spans.span_of[size - 1, token]
        right = spans.span_of[length - size - 1, token + size]
        if chart.filled[left] == 0 or chart.filled[right] == 0:
            continue
        factor = math.ldexp(1.0, chart.exponents[left] + chart.exponents[right] - base)
        any_pair = max(any_pair, factor * chart.sums[left] * chart.sums[right])
        other = spread(chart, right, chart.values, scratch.other)
        for n in range(chart.starts[left], chart.starts[left] + chart.filled[left]):
            a = chart.relations[n]
            x = chart.values[n] * factor
            start = rules.pair_start[a]
            stop = rules.pair_start[a + 1]
            if not scratch.seen[a]:
                scratch.seen[a] = True
                scratch.rows[rows] = a
                rows += 1
                scratch.products[start:stop] = 0.0
            for p in range(start, stop):
                scratch.products[p] = max(scratch.products[p], x * other[rules.pair_right[p]])
        clear(chart, right, scratch.other)
    for a in scratch.rows[:rows]:
        scratch.seen[a] = False
    return any_pair, rows


@njit_private
def _merge_best(scratch: CellScratch, rules: RuleArrays, rows: int, any_pair: float) -> int:  # pragma: no cover
    """Put on the scratch the best that each relation becomes; the number of heads."""
    anything = any_pair > 0.0 and rules.background.max() > 0.0
    count = 0
    if anything:
        for h in range(rules.background.size):
            scratch.cell[h] = rules.background[h] * any_pair
    for a in scratch.rows[:rows]:
        for p in range(rules.pair_start[a], rules.pair_start[a + 1]):
            for r in range(rules.rule_start[p], rules.rule_start[p + 1]):
                h = rules.rule_head[r]
                value = scratch.products[p] * (rules.rule_weight[r] + rules.background[h])
                if value > scratch.cell[h]:
                    if not anything and scratch.cell[h] == 0.0:
                        scratch.heads[count] = h
                        count += 1
                    scratch.cell[h] = value
    if anything:
        return all_heads(scratch)
    sort_heads(scratch, count)
    return count


@njit_entry
def viterbi_some(
    spans: SpanArrays, rules: RuleArrays, chart: Chart, scratch: CellScratch, at: tuple[int, int, int]
) -> tuple[Chart, int]:  # pragma: no cover
    """As `inside_some`, with the most likely derivation in place of the sum over all."""
    first, last, used = at
    for span in range(first, last):
        base = 0
        if spans.lengths[span] == 1:
            count = fill_leaf(scratch, rules, spans.observed[spans.tokens[span]])
        else:
            found, base = base_exponent(spans, chart, span)
            if not found:
                continue
            any_pair, rows = _gather_best(scratch, spans, rules, chart, (span, base))
            count = _merge_best(scratch, rules, rows, any_pair)
        chart = grown(chart, used, count)
        start = used
        used = close(chart, span, scratch, (count, start, base))
        chart.sums[span] = chart.values[start:used].max() if used > start else 0.0
    return chart, used


@njit_private
def _best_split(
    spans: SpanArrays, rules: RuleArrays, chart: Chart, stretch: tuple[int, int], head: int
) -> tuple[int, int, int, int]:  # pragma: no cover
    """The size of the left part, the two relations and the rule (-1: background) that give `head` its value.

    The stretch is a token and a length. Of those equal up to rounding the first is taken: by split, leftmost first,
    by the rule's left relation, its right one, and at last what no rule backs.
    """
    token, length = stretch
    exponent = chart.exponents[spans.span_of[length - 1, token]]
    other_room = np.zeros(rules.background.size)
    top = -1.0
    found = (1, head, head, -1)  # where nothing has a derivation
    for size in range(1, length):
        left = spans.span_of[size - 1, token]
        right = spans.span_of[length - size - 1, token + size]
        if chart.filled[left] == 0 or chart.filled[right] == 0:
            continue
        factor = math.ldexp(1.0, chart.exponents[left] + chart.exponents[right] - exponent)
        other = spread(chart, right, chart.values, other_room)
        for n in range(chart.starts[left], chart.starts[left] + chart.filled[left]):
            a = chart.relations[n]
            x = chart.values[n] * factor
            for p in range(rules.pair_start[a], rules.pair_start[a + 1]):
                y = x * other[rules.pair_right[p]]
                for r in range(rules.rule_start[p], rules.rule_start[p + 1]):
                    value = y * (rules.rule_weight[r] + rules.background[head])
                    if rules.rule_head[r] == head and beats(value, top):
                        top = value
                        found = (size, a, rules.pair_right[p], r)
        value = factor * chart.sums[left] * chart.sums[right] * rules.background[head]
        if beats(value, top):
            top = value
            found = (size, _likeliest(chart, left), _likeliest(chart, right), -1)
        clear(chart, right, other_room)
    return found


@njit_private
def _likeliest(chart: Chart, span: int) -> int:  # pragma: no cover
    """The relation that a span most likely is, the first of those equal up to rounding."""
    place = chart.starts[span]
    for n in range(chart.starts[span], chart.starts[span] + chart.filled[span]):
        if beats(chart.values[n], chart.values[place]):
            place = n
    return int(chart.relations[place])


@njit_entry
def backtrace(
    spans: SpanArrays, rules: RuleArrays, chart: Chart, stretch: tuple[int, int], answer: int
) -> tuple[Array, Array]:  # pragma: no cover
    """The most likely derivation of `answer` over a stretch (token, length), from a chart of `best`.

    Returns the relation at each leaf [length] and, for each rule used, parents before their
    parts and left before right: where it starts, its head and its number, -1 for the background
    [length - 1, 3].
    """
    token, length = stretch
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
