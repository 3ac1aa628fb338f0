"""Chart kernels for sparse cells: inside, outside and Viterbi over the spans of many paths.

`filling.py` calls them for some spans at a time; `block_kernels.py` is for full cells.

Beside its own rules, each relation h is rewritten as every pair with probability `background[h]`. The contribution
to a span is `background[h]` times the product of the sums of its two parts, so smoothing over all conceivable rules
is nearly free; the weight of a rule is `rule_weight + background[rule_head]`.
"""

from __future__ import annotations

import math

import numpy as np

from r5._util.kernels.compilation import njit_entry, njit_private
from r5.grammar.charts.cell_kernels import (
    Array,
    CellScratch,
    Chart,
    RuleArrays,
    SpanArrays,
    all_heads,
    base_exponent,
    clear_cell,
    expand_cell,
    fill_leaf,
    grown,
    sort_heads,
    store_cell,
)

__all__ = ["count_leaves", "inside_some", "outside_some"]


@njit_private
def _gather(
    scratch: CellScratch, spans: SpanArrays, rules: RuleArrays, chart: Chart, at: tuple[int, int], best: bool
) -> tuple[float, int]:  # pragma: no cover
    """Write the sum (or maximum, for `best`) over all splits of left * right for each pair.

    `at` is the span and the exponent of the products. Returns the sum over all pairs, and the number of rows.
    """
    span, base = at
    products, seen = scratch.products, scratch.seen
    pair_start, pair_right = rules.pair_start, rules.pair_right
    values = chart.values
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
        product = factor * chart.sums[left] * chart.sums[right]
        any_pair = max(any_pair, product) if best else any_pair + product
        other = expand_cell(chart, right, values, scratch.other)
        for n in range(chart.starts[left], chart.starts[left] + chart.filled[left]):
            a = chart.relations[n]
            x = values[n] * factor
            start = pair_start[a]
            stop = pair_start[a + 1]
            if not seen[a]:
                seen[a] = True
                scratch.rows[rows] = a
                rows += 1
                for p in range(start, stop):
                    products[p] = 0.0
            if best:
                for p in range(start, stop):
                    products[p] = max(products[p], x * other[pair_right[p]])
            else:
                for p in range(start, stop):
                    products[p] += x * other[pair_right[p]]
        clear_cell(chart, right, scratch.other)
    for n in range(rows):
        seen[scratch.rows[n]] = False
    return any_pair, rows


@njit_private
def _merge(scratch: CellScratch, rules: RuleArrays, rows: int, any_pair: float, best: bool) -> int:  # pragma: no cover
    """Write the sum (or maximum, for `best`) of the rewrites of each relation to the scratch cell.

    Returns the number of relations that have one.
    """
    cell, heads, products, background = scratch.cell, scratch.heads, scratch.products, rules.background
    anything = any_pair > 0.0 and background.max() > 0.0
    count = 0
    if anything:
        for h in range(background.size):
            cell[h] = background[h] * any_pair
    for n in range(rows):
        a = scratch.rows[n]
        for p in range(rules.pair_start[a], rules.pair_start[a + 1]):
            x = products[p]
            if x > 0.0:
                for r in range(rules.rule_start[p], rules.rule_start[p + 1]):
                    h = rules.rule_head[r]
                    value = x * (rules.rule_weight[r] + background[h]) if best else x * rules.rule_weight[r]
                    if value > 0.0:
                        if not anything and cell[h] == 0.0:
                            heads[count] = h
                            count += 1
                        cell[h] = max(cell[h], value) if best else cell[h] + value
    if anything:
        return all_heads(scratch)
    sort_heads(scratch, count)
    return count


@njit_entry
def inside_some(
    spans: SpanArrays, rules: RuleArrays, chart: Chart, scratch: CellScratch, at: tuple[int, int, int], best: bool
) -> tuple[Chart, int]:  # pragma: no cover
    """Fill some cells, those before being filled, with sums or, for `best`, with maxima over all derivations.

    `at` is the first span, the one after the last, and the number of used entries; returns the chart and that number.
    """
    first, last, used = at
    for span in range(first, last):
        base = 0
        if spans.lengths[span] == 1:
            count = fill_leaf(scratch, rules, spans.observed[spans.tokens[span]])
        else:
            found, base = base_exponent(spans, chart, span)
            if not found:
                continue
            any_pair, rows = _gather(scratch, spans, rules, chart, (span, base), best)
            count = _merge(scratch, rules, rows, any_pair, best)
        chart = grown(chart, used, count)
        start = used
        used = store_cell(chart, span, scratch, (count, start, base))
        cell = chart.values[start:used]
        chart.sums[span] = (cell.max() if used > start else 0.0) if best else cell.sum()
    return chart, used


@njit_private
def _write_gradients(
    scratch: CellScratch, gradients: Array, counts: Array, rules: RuleArrays, at: tuple[int, Array]
) -> None:  # pragma: no cover
    """Count the rules used at one span, and write the derivative with respect to each pair.

    `at` is the number of rows and the derivative at the span, by relation.
    """
    rows, above = at
    products, background = scratch.products, rules.background
    rule_start, rule_head, rule_weight = rules.rule_start, rules.rule_head, rules.rule_weight
    for n in range(rows):
        a = scratch.rows[n]
        for p in range(rules.pair_start[a], rules.pair_start[a + 1]):
            x = products[p]
            gradient = 0.0
            if x > 0.0:
                for r in range(rule_start[p], rule_start[p + 1]):
                    h = rule_head[r]
                    gradient += above[h] * rule_weight[r]
                    counts[r] += above[h] * (rule_weight[r] + background[h]) * x
            gradients[p] = gradient


@njit_private
def _pass_down(
    scratch: CellScratch, gradients: Array, rules: RuleArrays, chart: Chart, outer: Array, split: tuple[int, int, float]
) -> None:  # pragma: no cover
    """Propagate the derivatives of the pairs at one split (left, right, factor) to its two parts."""
    left, right, factor = split
    relations = rules.background.size
    pair_start, pair_right = rules.pair_start, rules.pair_right
    other = expand_cell(chart, right, chart.values, scratch.other)
    first = chart.starts[right]
    full = chart.filled[right] == relations
    other_outer = outer[first : first + relations] if full else scratch.outer
    for n in range(chart.starts[left], chart.starts[left] + chart.filled[left]):
        a = chart.relations[n]
        x = chart.values[n] * factor
        total = 0.0
        for p in range(pair_start[a], pair_start[a + 1]):
            b = pair_right[p]
            if other[b] > 0.0:
                total += gradients[p] * other[b]
                other_outer[b] += gradients[p] * x
        outer[n] += total * factor
    if not full:
        for n in range(first, first + chart.filled[right]):
            outer[n] += scratch.outer[chart.relations[n]]
        clear_cell(chart, right, scratch.outer)
        clear_cell(chart, right, scratch.other)


@njit_entry
def outside_some(
    spans: SpanArrays,
    rules: RuleArrays,
    chart: Chart,
    scratch: CellScratch,
    sums: tuple[Array, Array, Array],
    at: tuple[int, int],
) -> None:  # pragma: no cover
    """Propagate the derivative of the log likelihood down from some spans, those after being done, and count.

    `sums` are `outer` [entries], the derivative, `counts` [rules], added to, and a buffer of the pairs' derivatives;
    `at` is the first span and the one after the last.
    """
    outer, counts, gradients = sums
    first, last = at
    for span in range(last - 1, first - 1, -1):
        length = spans.lengths[span]
        start = chart.starts[span]
        stop = start + chart.filled[span]
        if length == 1 or start == stop or outer[start:stop].max() <= 0.0:
            continue
        token = spans.tokens[span]
        exponent = chart.exponents[span]
        rows = _gather(scratch, spans, rules, chart, (span, exponent), False)[1]
        above = expand_cell(chart, span, outer, scratch.cell)
        _write_gradients(scratch, gradients, counts, rules, (rows, above))
        clear_cell(chart, span, scratch.cell)
        any_gradient = 0.0
        for n in range(start, stop):
            any_gradient += outer[n] * rules.background[chart.relations[n]]
        for size in range(1, length):
            left = spans.span_of[size - 1, token]
            right = spans.span_of[length - size - 1, token + size]
            if chart.filled[left] > 0 and chart.filled[right] > 0:
                factor = math.ldexp(1.0, chart.exponents[left] + chart.exponents[right] - exponent)
                _add(chart, left, outer, any_gradient * factor * chart.sums[right])
                _add(chart, right, outer, any_gradient * factor * chart.sums[left])
                _pass_down(scratch, gradients, rules, chart, outer, (left, right, factor))


@njit_private
def _add(chart: Chart, span: int, outer: Array, gradient: float) -> None:  # pragma: no cover
    if gradient > 0.0:
        for n in range(chart.starts[span], chart.starts[span] + chart.filled[span]):
            outer[n] += gradient


@njit_entry
def count_leaves(
    spans: SpanArrays, rules: RuleArrays, chart: Chart, outer: Array, scratch: CellScratch
) -> Array:  # pragma: no cover
    """Return the expected count of each listed leaf, given `outer` everywhere."""
    relations = rules.background.size
    leaves = np.zeros(rules.leaf_start[relations])
    for span in range(spans.lengths.size):
        if spans.lengths[span] > 1:
            break
        seen = spans.observed[spans.tokens[span]]
        if seen < relations:
            for n in range(chart.starts[span], chart.starts[span] + chart.filled[span]):
                scratch.cell[chart.relations[n]] = outer[n] * chart.values[n]
            for n in range(rules.leaf_start[seen], rules.leaf_start[seen + 1]):
                leaves[n] += scratch.cell[rules.leaf_true[n]]
            for n in range(chart.starts[span], chart.starts[span] + chart.filled[span]):
                scratch.cell[chart.relations[n]] = 0.0
    return leaves
