"""Chart kernels for few rules and full cells: each rule is looked at by itself, all others share the background.

So it is at the end of learning with few relations, and in all answers. Beside its own rules, each relation h becomes
every pair with probability `background[h]`: what this adds to a span is `background[h]` times the product of the sums
of its two parts, and the weight of a rule is `rule_weight + background[rule_head]`.

Where many pairs have rules, in the middle of learning, it is faster to take the products of all pairs, in tables, on
vector units, and to look up those of the rules; the bits are the same.
"""

from __future__ import annotations

import math

from r5._util.kernels import int64, njit_free, njit_shared
from r5.grammar.charts.cell_kernels import Array, Chart, RuleArrays, SpanArrays
from r5.grammar.charts.full_kernels import fill_leaf, highest, largest_exponent, multiply, pass_down, scale

__all__ = ["inside_listed_some", "outside_listed_some"]


@njit_shared
def _multiply(
    spans: SpanArrays,
    lefts: Array,
    rules: RuleArrays,
    chart: Chart,
    values: Array,
    products: Array,
    at: tuple[int, int],
) -> float:  # pragma: no cover
    """The sum over all splits of a span of left * right, for each pair with a rule and, returned, for all pairs."""
    span, base = at
    token, length = spans.tokens[span], spans.lengths[span]
    rights = rules.pair_right
    pairs = rights.size
    any_pair = 0.0
    for p in range(pairs):
        products[p] = 0.0
    for size in range(1, length):
        left = spans.span_of[size - 1, token]
        right = spans.span_of[length - size - 1, token + size]
        factor = math.ldexp(1.0, chart.exponents[left] + chart.exponents[right] - base)
        if factor == 0.0:
            continue
        any_pair += factor * chart.sums[left] * chart.sums[right]
        ours, others = values[left], values[right]
        for p in range(pairs):
            products[p] += factor * ours[lefts[p]] * others[rights[p]]
    return any_pair


@njit_shared
def _multiply_some(
    spans: SpanArrays,
    lefts: Array,
    rules: RuleArrays,
    chart: Chart,
    values: Array,
    room: tuple[Array, Array],
    at: tuple[int, int],
) -> float:  # pragma: no cover
    """As `_multiply`, by way of a table of all pairs where there is one; `room` is for the products and tables."""
    products, tables = room
    if tables.shape[0] == 0:
        return _multiply(spans, lefts, rules, chart, values, products, at)
    table = tables[0]
    any_pair = multiply(spans, chart, values, table, at)
    for p in range(products.size):
        products[p] = table[lefts[p], rules.pair_right[p]]
    return any_pair


@njit_free
def inside_listed_some(
    spans: SpanArrays,
    lefts: Array,
    rules: RuleArrays,
    chart: Chart,
    values: Array,
    room: tuple[Array, Array],
    at: tuple[int, int],
) -> None:  # pragma: no cover
    """Fill some cells, those before being filled; `values` [spans, relations] are those of the chart.

    `lefts` are the first relations of the pairs, `room` is for as many numbers, and for tables of all pairs or none.
    """
    products = room[0]
    for span in range(at[0], at[1]):
        cell = values[span]
        base = int64(0)
        if spans.lengths[span] == 1:
            fill_leaf(cell, rules, spans.observed[spans.tokens[span]])
        else:
            base = largest_exponent(spans, chart, span)
            any_pair = _multiply_some(spans, lefts, rules, chart, values, room, (span, base))
            for h in range(cell.size):
                cell[h] = rules.background[h] * any_pair
            for p in range(products.size):
                x = products[p]
                for r in range(rules.rule_start[p], rules.rule_start[p + 1]):
                    cell[rules.rule_head[r]] += x * rules.rule_weight[r]
        scale(cell, chart, span, base)


@njit_free
def outside_listed_some(
    spans: SpanArrays,
    lefts: Array,
    rules: RuleArrays,
    chart: Chart,
    values: Array,
    room: tuple[Array, Array, Array],
    sums: tuple[Array, Array],
    at: tuple[int, int],
) -> None:  # pragma: no cover
    """Pass the derivative of the log likelihood down from some spans, those after being done, and add up.

    `sums` are the derivative [spans, relations] and, for each rule, the sum over all spans of the head's derivative
    times the pair's product; `room` is for products and slopes of all pairs that have a rule, and for tables of all
    pairs or none: products, slopes, and slopes by right and left; slopes are 0 where there is no rule.
    """
    products, slopes, tables = room
    in_tables = tables.shape[0] > 0
    outer, uses = sums
    relations = values.shape[1]
    rights = rules.pair_right
    for span in range(at[1] - 1, at[0] - 1, -1):
        above = outer[span]
        token, length = spans.tokens[span], spans.lengths[span]
        if length == 1 or highest(above) <= 0.0:
            continue
        exponent = chart.exponents[span]
        _multiply_some(spans, lefts, rules, chart, values, (products, tables), (span, exponent))
        for p in range(products.size):
            x = products[p]
            slope = 0.0
            for r in range(rules.rule_start[p], rules.rule_start[p + 1]):
                share = above[rules.rule_head[r]]
                slope += share * rules.rule_weight[r]
                uses[r] += share * x
            slopes[p] = slope
            if in_tables:
                tables[1, lefts[p], rights[p]] = tables[2, rights[p], lefts[p]] = slope
        any_slope = 0.0
        for h in range(relations):
            any_slope += above[h] * rules.background[h]
        for size in range(1, length):
            left = spans.span_of[size - 1, token]
            right = spans.span_of[length - size - 1, token + size]
            factor = math.ldexp(1.0, chart.exponents[left] + chart.exponents[right] - exponent)
            if factor == 0.0:
                continue
            ours, others = values[left], values[right]
            ours_outer, others_outer = outer[left], outer[right]
            to_left, to_right = any_slope * factor * chart.sums[right], any_slope * factor * chart.sums[left]
            for h in range(relations):
                ours_outer[h] += to_left
            for h in range(relations):
                others_outer[h] += to_right
            if in_tables and left != right:  # else what is added to one cell is added in the order of the pairs
                pass_down(values, outer, tables[1], tables[2], (left, right, factor))
                continue
            for p in range(slopes.size):
                a, b = lefts[p], rights[p]
                slope = slopes[p] * factor
                ours_outer[a] += slope * others[b]
                others_outer[b] += slope * ours[a]
