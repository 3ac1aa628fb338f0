"""Full cells: what the chart kernels share where every relation has a derivation over every stretch.

So it is where every rule and every mistake is conceivable: while learning with few relations, and in all answers.
A chart's values are then a table, [spans, relations].
"""

from __future__ import annotations

import math

from r5._util.kernels import int64, njit_shared
from r5.grammar.charts.cell_kernels import Array, Chart, RuleArrays, SpanArrays

__all__ = ["fill_leaf", "highest", "largest_exponent", "multiply", "pass_down", "scale"]


@njit_shared
def fill_leaf(cell: Array, rules: RuleArrays, observed: int) -> None:  # pragma: no cover
    """What an edge may truly be."""
    strays = rules.stray.size == cell.size and observed < cell.size
    for h in range(cell.size):
        cell[h] = rules.stray[h] if strays else 0.0
    for n in range(rules.leaf_start[observed], rules.leaf_start[observed + 1]):
        cell[rules.leaf_true[n]] = rules.leaf_weight[n]


@njit_shared
def highest(cell: Array) -> float:  # pragma: no cover
    """The largest entry, or 0."""
    top = 0.0
    for h in range(cell.size):
        top = max(top, cell[h])
    return top


@njit_shared
def largest_exponent(spans: SpanArrays, chart: Chart, span: int) -> int:  # pragma: no cover
    """The largest exponent of a product of two parts of a span that are not empty."""
    token, length = spans.tokens[span], spans.lengths[span]
    largest = int64(0)
    found = False
    for size in range(1, length):
        left = spans.span_of[size - 1, token]
        right = spans.span_of[length - size - 1, token + size]
        if chart.filled[left] > 0 and chart.filled[right] > 0:
            exponent = chart.exponents[left] + chart.exponents[right]
            if not found or exponent > largest:
                largest = exponent
            found = True
    return largest


@njit_shared
def scale(cell: Array, chart: Chart, span: int, base: int) -> None:  # pragma: no cover
    """Bring the largest entry of a cell into [0.5, 1), as `close` does; one without any stays empty."""
    top = highest(cell)
    total = 0.0
    if top > 0.0:
        shift = math.frexp(top)[1]
        first = max(-shift, -1000) if shift > 0 else min(-shift, 1000)
        factor, rest = math.ldexp(1.0, first), math.ldexp(1.0, -shift - first)
        for h in range(cell.size):
            cell[h] = cell[h] * factor * rest
            total += cell[h]
        chart.exponents[span] = base + shift
        chart.filled[span] = cell.size
    chart.sums[span] = total


@njit_shared
def multiply(
    spans: SpanArrays, chart: Chart, values: Array, products: Array, at: tuple[int, int]
) -> float:  # pragma: no cover
    """The sum over all splits of a span of left * right, for each pair and, returned, for all pairs.

    Both are relative to an exponent. Two splits are added at a time, one after the other.
    """
    span, base = at
    relations = values.shape[1]
    token, length = spans.tokens[span], spans.lengths[span]
    any_pair = 0.0
    for a in range(relations):
        for b in range(relations):
            products[a, b] = 0.0
    for size in range(1, length, 2):
        left = spans.span_of[size - 1, token]
        right = spans.span_of[length - size - 1, token + size]
        factor = math.ldexp(1.0, chart.exponents[left] + chart.exponents[right] - base)
        any_pair += factor * chart.sums[left] * chart.sums[right]
        other_left, other_right, other_factor = left, right, 0.0
        if size + 1 < length:
            other_left = spans.span_of[size, token]
            other_right = spans.span_of[length - size - 2, token + size + 1]
            other_factor = math.ldexp(1.0, chart.exponents[other_left] + chart.exponents[other_right] - base)
            any_pair += other_factor * chart.sums[other_left] * chart.sums[other_right]
        if factor == 0.0 and other_factor == 0.0:
            continue
        ours, others = values[left], values[right]
        further, beyond = values[other_left], values[other_right]
        for a in range(relations):
            x, y = ours[a] * factor, further[a] * other_factor
            row = products[a]
            for b in range(relations):
                row[b] = (row[b] + x * others[b]) + y * beyond[b]
    return any_pair


@njit_shared
def pass_down(
    values: Array, outer: Array, slopes: Array, turned: Array, split: tuple[int, int, float]
) -> None:  # pragma: no cover
    """Hand the slopes of the pairs at one split (left, right, factor) on to its two parts.

    `slopes` are by left and right, `turned` the same by right and left.
    """
    left, right, factor = split
    _add_in_order(outer[left], values[right], factor, turned)
    _add_in_order(outer[right], values[left], factor, slopes)


@njit_shared
def _add_in_order(total: Array, shares: Array, factor: float, table: Array) -> None:  # pragma: no cover
    """Add to `total` the rows of a table, each times its share and a factor, two at a time, one after the other."""
    rows = shares.size
    place = 0
    while place + 2 <= rows:
        x, y = shares[place] * factor, shares[place + 1] * factor
        first, second = table[place], table[place + 1]
        for n in range(rows):
            total[n] = (total[n] + x * first[n]) + y * second[n]
        place += 2
    if place < rows:
        x = shares[place] * factor
        first = table[place]
        for n in range(rows):
            total[n] += x * first[n]
