"""Chart kernels for when most rules have weight, as at the beginning of learning: cells are full, rules in a table.

All loops run on vector units. Sums run along arrays, never across
one: four products are added to each place at a time, in the order in which they are written, so that the bits do not
depend on how wide the vector units are.
"""

from __future__ import annotations

import math

from r5._util.kernels import int64, njit_free, njit_shared
from r5.grammar.charts.cell_kernels import Array, Chart, RuleArrays, SpanArrays
from r5.grammar.charts.full_kernels import fill_leaf, highest, largest_exponent, multiply, pass_down, scale

__all__ = ["inside_dense_some", "outside_dense_some"]


@njit_shared
def _add_rows(total: Array, shares: Array, table: Array) -> None:  # pragma: no cover
    """Add to `total` the rows of a table, each times its share; rows without a share are passed over."""
    rows, width = table.shape
    place = 0
    while place + 4 <= rows:
        a, b, c, d = shares[place], shares[place + 1], shares[place + 2], shares[place + 3]
        if a > 0.0 or b > 0.0 or c > 0.0 or d > 0.0:
            first, second, third, fourth = table[place], table[place + 1], table[place + 2], table[place + 3]
            for n in range(width):
                total[n] += (a * first[n] + b * second[n]) + (c * third[n] + d * fourth[n])
        place += 4
    while place < rows:
        a = shares[place]
        if a > 0.0:
            first = table[place]
            for n in range(width):
                total[n] += a * first[n]
        place += 1


@njit_free
def inside_dense_some(
    spans: SpanArrays,
    rules: RuleArrays,
    table: Array,
    chart: Chart,
    values: Array,
    room: tuple[Array, Array],
    at: tuple[int, int],
) -> None:  # pragma: no cover
    """Fill some cells, those before being filled; `values` [spans, relations] are those of the chart.

    `table` are the weights by pair and head, with the background; `room` is for the products of all pairs, twice the
    same: by left and right, and in one row.
    """
    first, last = at
    products, flat = room
    relations = values.shape[1]
    for span in range(first, last):
        cell = values[span]
        base = int64(0)
        if spans.lengths[span] == 1:
            fill_leaf(cell, rules, spans.observed[spans.tokens[span]])
        else:
            base = largest_exponent(spans, chart, span)
            multiply(spans, chart, values, products, (span, base))
            for h in range(relations):
                cell[h] = 0.0
            _add_rows(cell, flat, table)
        scale(cell, chart, span, base)


@njit_free
def outside_dense_some(
    spans: SpanArrays,
    by_head: Array,
    chart: Chart,
    values: Array,
    room: tuple[Array, Array, Array, Array, Array],
    sums: tuple[Array, Array],
    at: tuple[int, int],
) -> None:  # pragma: no cover
    """Pass the derivative of the log likelihood down from some spans, those after being done, and add up.

    `by_head` are the weights by head and pair. `sums` are the derivative [spans, relations] and, for each head and
    pair, the sum over all spans of the head's derivative times the pair's product; `room` is for products and slopes,
    each by left and right and in one row, and for slopes by right and left.
    """
    products, flat_products, slopes, flat_slopes, turned = room
    outer, uses = sums
    relations = values.shape[1]
    for span in range(at[1] - 1, at[0] - 1, -1):
        above = outer[span]
        token, length = spans.tokens[span], spans.lengths[span]
        if length == 1 or highest(above) <= 0.0:
            continue
        exponent = chart.exponents[span]
        multiply(spans, chart, values, products, (span, exponent))
        for p in range(flat_slopes.size):
            flat_slopes[p] = 0.0
        _add_rows(flat_slopes, above, by_head)
        for h in range(relations):
            share = above[h]
            if share > 0.0:
                row = uses[h]
                for p in range(flat_products.size):
                    row[p] += share * flat_products[p]
        for a in range(relations):
            for b in range(relations):
                turned[b, a] = slopes[a, b]
        for size in range(1, length):
            left = spans.span_of[size - 1, token]
            right = spans.span_of[length - size - 1, token + size]
            factor = math.ldexp(1.0, chart.exponents[left] + chart.exponents[right] - exponent)
            if factor > 0.0:
                pass_down(values, outer, slopes, turned, (left, right, factor))
