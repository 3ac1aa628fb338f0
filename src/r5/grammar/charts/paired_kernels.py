"""Chart kernels for full cells and few rules with many bodies: products of all pairs, then each rule by itself.

So it is in the middle of learning. The products run on vector units, as in `dense_kernels.py`; rules and background are
as in `listed_kernels.py`, with the same bits.
"""

from __future__ import annotations

import math

from r5._util.kernels import int64, njit_free
from r5.grammar.charts.cell_kernels import Array, Chart, RuleArrays, SpanArrays
from r5.grammar.charts.full_kernels import (
    fill_leaf,
    highest,
    largest_exponent,
    multiply,
    pass_down,
    pass_down_listed,
    scale,
)

__all__ = ["inside_paired_some", "outside_paired_some"]


@njit_free
def inside_paired_some(
    spans: SpanArrays,
    lefts: Array,
    rules: RuleArrays,
    chart: Chart,
    values: Array,
    products: Array,
    at: tuple[int, int],
) -> None:  # pragma: no cover
    """Fill some cells, those before being filled; `values` [spans, relations] are those of the chart.

    `lefts` are the first relations of the pairs that have rules; `products` is room for those of all pairs.
    """
    rights = rules.pair_right
    for span in range(at[0], at[1]):
        cell = values[span]
        base = int64(0)
        if spans.lengths[span] == 1:
            fill_leaf(cell, rules, spans.observed[spans.tokens[span]])
        else:
            base = largest_exponent(spans, chart, span)
            any_pair = multiply(spans, chart, values, products, (span, base))
            for h in range(cell.size):
                cell[h] = rules.background[h] * any_pair
            for p in range(rights.size):
                x = products[lefts[p], rights[p]]
                for r in range(rules.rule_start[p], rules.rule_start[p + 1]):
                    cell[rules.rule_head[r]] += x * rules.rule_weight[r]
        scale(cell, chart, span, base)


@njit_free
def outside_paired_some(
    spans: SpanArrays,
    lefts: Array,
    rules: RuleArrays,
    chart: Chart,
    values: Array,
    room: tuple[Array, Array, Array, Array],
    sums: tuple[Array, Array],
    at: tuple[int, int],
) -> None:  # pragma: no cover
    """Pass the derivative of the log likelihood down from some spans, those after being done, and add up.

    `sums` are the derivative [spans, relations] and, for each rule, the sum over all spans of the head's derivative
    times the pair's product. `room` is for products of all pairs, for slopes by left and right and by right and
    left, which are 0 where there is no rule, and for slopes of the pairs that have one.
    """
    products, slopes, turned, listed = room
    outer, uses = sums
    relations = values.shape[1]
    rights = rules.pair_right
    for span in range(at[1] - 1, at[0] - 1, -1):
        above = outer[span]
        token, length = spans.tokens[span], spans.lengths[span]
        if length == 1 or highest(above) <= 0.0:
            continue
        exponent = chart.exponents[span]
        multiply(spans, chart, values, products, (span, exponent))
        for p in range(rights.size):
            x = products[lefts[p], rights[p]]
            slope = 0.0
            for r in range(rules.rule_start[p], rules.rule_start[p + 1]):
                share = above[rules.rule_head[r]]
                slope += share * rules.rule_weight[r]
                uses[r] += share * x
            slopes[lefts[p], rights[p]] = turned[rights[p], lefts[p]] = listed[p] = slope
        any_slope = 0.0
        for h in range(relations):
            any_slope += above[h] * rules.background[h]
        for size in range(1, length):
            left = spans.span_of[size - 1, token]
            right = spans.span_of[length - size - 1, token + size]
            factor = math.ldexp(1.0, chart.exponents[left] + chart.exponents[right] - exponent)
            if factor == 0.0:
                continue
            ours_outer, others_outer = outer[left], outer[right]
            to_left, to_right = any_slope * factor * chart.sums[right], any_slope * factor * chart.sums[left]
            for h in range(relations):
                ours_outer[h] += to_left
            for h in range(relations):
                others_outer[h] += to_right
            if left == right:  # what is added to one cell is added in the order of the pairs
                pass_down_listed(values, outer, listed, (lefts, rights), (left, right, factor))
            else:
                pass_down(values, outer, slopes, turned, (left, right, factor))
