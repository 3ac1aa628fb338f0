"""Full cells: what the chart kernels share where every relation has a derivation over every stretch.

So it is where every rule and every mistake is conceivable: while learning with few relations, and in all answers.
A chart's values are then a table, [spans, relations].
"""

from __future__ import annotations

import math

from r5._util.kernels import int64, njit_shared
from r5.grammar.charts.cell_kernels import Array, Chart, RuleArrays, SpanArrays

__all__ = ["fill_leaf", "highest", "largest_exponent", "scale"]


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
