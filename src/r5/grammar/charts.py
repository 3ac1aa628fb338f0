"""Chart kernels: inside, outside and best derivation over the spans of many paths at once.

A *span* is a distinct stretch of observed relations; spans come shortest first, and equal
stretches of different paths are one span (see `spans.py`).

Cells are scaled by powers of two, which is exact: the true value of `cells[s, h]` is
`cells[s, h] * 2 ** exponents[s]`, and the largest entry of a cell lies in [0.5, 1).

Beside its own rules, each relation h becomes every pair with probability `background[h]`. What
this adds to a span is `background[h]` times the product of the sums of its two parts, so
smoothing over all conceivable rules costs next to nothing; the weight of a rule is
`rule_weight + background[rule_head]`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Chart", "RuleArrays", "SpanArrays", "backtrace", "best", "inside", "outside"]

Array = NDArray[Any]

_MATH = {"reassoc", "contract", "nsz"}  # sums may be taken in another order, so that they run on vector units


class SpanArrays(NamedTuple):
    """The stretches to fill a chart over, shortest first."""

    lengths: Array  # [spans]
    tokens: Array  # [spans], where each occurs first
    observed: Array  # [tokens], relations; the number of relations for one never seen
    span_of: Array  # [longest, tokens], the span of each length that starts at each token


class RuleArrays(NamedTuple):
    """Rules in compressed rows, twice: from the left relation to the pair, and from the pair to the head.

    A row that is full holds 0..relations-1 in order, so that loops over it need no look-up.
    """

    pair_start: Array  # [relations + 1]
    pair_right: Array  # [pairs]
    rule_start: Array  # [pairs + 1]
    rule_head: Array  # [rules]
    rule_weight: Array  # [rules]
    background: Array  # [relations]
    emission: Array  # [relations + 1, relations], P(h stops and is observed as o) at [o, h]


class Chart(NamedTuple):
    """Filled cells."""

    cells: Array  # [spans, relations], scaled inside values
    exponents: Array  # [spans]
    sums: Array  # [spans], over a cell; for best derivations, the largest entry
    active: Array  # [spans, relations], the relations with a derivation come first
    filled: Array  # [spans], how many those are


@njit(cache=True, nogil=True)
def _new_chart(spans: int, relations: int) -> Chart:  # pragma: no cover
    return Chart(
        np.zeros((spans, relations)),
        np.zeros(spans, np.int64),
        np.zeros(spans),
        np.empty((spans, relations), np.int32),
        np.zeros(spans, np.int64),
    )


@njit(cache=True, nogil=True)
def _close(chart: Chart, span: int, base: int) -> None:  # pragma: no cover
    """Scale a cell, whose entries are relative to 2 ** base, and note which relations have a derivation."""
    cell = chart.cells[span]
    top = cell.max()
    if top <= 0.0:
        return
    shift = math.frexp(top)[1]
    first = max(-shift, -1000) if shift > 0 else min(-shift, 1000)
    factor = math.ldexp(1.0, first)
    rest = math.ldexp(1.0, -shift - first)  # 1 unless the shift is beyond what one factor can express
    count = 0
    for h in range(cell.size):
        cell[h] = cell[h] * factor * rest
        if cell[h] > 0.0:
            chart.active[span, count] = h
            count += 1
    chart.exponents[span] = base + shift
    chart.filled[span] = count


@njit(cache=True, nogil=True)
def _base(spans: SpanArrays, chart: Chart, span: int) -> tuple[bool, int]:  # pragma: no cover
    """The largest exponent of a product of two parts of a span; False where no split has a derivation."""
    length = spans.lengths[span]
    token = spans.tokens[span]
    largest = 0
    found = False
    for size in range(1, length):
        left = spans.span_of[size - 1, token]
        right = spans.span_of[length - size - 1, token + size]
        if chart.filled[left] > 0 and chart.filled[right] > 0:
            exponent = chart.exponents[left] + chart.exponents[right]
            if not found or exponent > largest:
                largest = exponent
            found = True
    return found, largest


@njit(cache=True, nogil=True, fastmath=_MATH)
def _gather(
    products: Array, spans: SpanArrays, rules: RuleArrays, chart: Chart, at: tuple[int, int]
) -> float:  # pragma: no cover
    """The sum over all splits of left * right for each pair and, returned, over all pairs.

    `at` is the span and the exponent that the products are relative to.
    """
    span, base = at
    relations = chart.cells.shape[1]
    length = spans.lengths[span]
    token = spans.tokens[span]
    products[:] = 0.0
    any_pair = 0.0
    for size in range(1, length):
        left = spans.span_of[size - 1, token]
        right = spans.span_of[length - size - 1, token + size]
        if chart.filled[left] == 0 or chart.filled[right] == 0:
            continue
        factor = math.ldexp(1.0, chart.exponents[left] + chart.exponents[right] - base)
        any_pair += factor * chart.sums[left] * chart.sums[right]
        other = chart.cells[right]
        for n in range(chart.filled[left]):
            a = chart.active[left, n]
            x = chart.cells[left, a] * factor
            start = rules.pair_start[a]
            stop = rules.pair_start[a + 1]
            if stop - start == relations:
                for b in range(relations):
                    products[start + b] += x * other[b]
            else:
                for p in range(start, stop):
                    products[p] += x * other[rules.pair_right[p]]
    return any_pair


@njit(cache=True, nogil=True, fastmath=_MATH)
def inside(spans: SpanArrays, rules: RuleArrays) -> Chart:  # pragma: no cover
    """Fill all cells bottom up: how likely each relation is to become what is observed, over all derivations."""
    relations = rules.background.size
    chart = _new_chart(spans.lengths.size, relations)
    products = np.empty(rules.pair_right.size)
    for span in range(spans.lengths.size):
        cell = chart.cells[span]
        base = 0
        if spans.lengths[span] == 1:
            cell[:] = rules.emission[spans.observed[spans.tokens[span]]]
        else:
            found, base = _base(spans, chart, span)
            if not found:
                continue
            any_pair = _gather(products, spans, rules, chart, (span, base))
            for h in range(relations):
                cell[h] = rules.background[h] * any_pair
            for p in range(products.size):
                x = products[p]
                if x > 0.0:
                    start = rules.rule_start[p]
                    stop = rules.rule_start[p + 1]
                    if stop - start == relations:
                        for h in range(relations):
                            cell[h] += x * rules.rule_weight[start + h]
                    else:
                        for r in range(start, stop):
                            cell[rules.rule_head[r]] += x * rules.rule_weight[r]
        _close(chart, span, base)
        chart.sums[span] = cell.sum()
    return chart


@njit(cache=True, nogil=True, fastmath=_MATH)
def _slopes(
    products: Array, slopes: Array, counts: Array, rules: RuleArrays, above: Array
) -> float:  # pragma: no cover
    """Count the rules used at one span; how much more likely each pair, and (returned) any pair, would make it."""
    relations = above.size
    for p in range(products.size):
        x = products[p]
        slope = 0.0
        if x > 0.0:
            start = rules.rule_start[p]
            stop = rules.rule_start[p + 1]
            if stop - start == relations:
                for h in range(relations):
                    slope += above[h] * rules.rule_weight[start + h]
                    counts[start + h] += above[h] * (rules.rule_weight[start + h] + rules.background[h]) * x
            else:
                for r in range(start, stop):
                    h = rules.rule_head[r]
                    slope += above[h] * rules.rule_weight[r]
                    counts[r] += above[h] * (rules.rule_weight[r] + rules.background[h]) * x
        slopes[p] = slope
    any_slope = 0.0
    for h in range(relations):
        any_slope += above[h] * rules.background[h]
    return any_slope


@njit(cache=True, nogil=True, fastmath=_MATH)
def _pass_down(
    slopes: Array, rules: RuleArrays, chart: Chart, outer: Array, split: tuple[int, int, float]
) -> None:  # pragma: no cover
    """Hand the slopes of the pairs at one split (left, right, factor) on to its two parts."""
    left, right, factor = split
    relations = outer.shape[1]
    other = chart.cells[right]
    other_outer = outer[right]
    for n in range(chart.filled[left]):
        a = chart.active[left, n]
        x = chart.cells[left, a] * factor
        total = 0.0
        start = rules.pair_start[a]
        stop = rules.pair_start[a + 1]
        if stop - start == relations:
            for b in range(relations):
                total += slopes[start + b] * other[b]
                other_outer[b] += slopes[start + b] * x
        else:
            for p in range(start, stop):
                b = rules.pair_right[p]
                total += slopes[p] * other[b]
                other_outer[b] += slopes[p] * x
        outer[left, a] += total * factor


@njit(cache=True, nogil=True)
def outside(spans: SpanArrays, rules: RuleArrays, chart: Chart, outer: Array) -> Array:  # pragma: no cover
    """Pass the derivative of the log likelihood down from the roots, and count.

    `outer` [spans, relations] holds it at the roots and, afterwards, everywhere, relative to the
    scaled cells: `outer * cells` are expected counts. Returns the expected count of each rule; those
    of the leaves follow from `outer` at the spans of length one. Uses of the background for pairs
    without a rule are not counted.
    """
    counts = np.zeros(rules.rule_weight.size)
    products = np.empty(rules.pair_right.size)
    slopes = np.empty(rules.pair_right.size)
    for span in range(spans.lengths.size - 1, -1, -1):
        length = spans.lengths[span]
        if length == 1 or chart.filled[span] == 0 or outer[span].max() <= 0.0:
            continue
        token = spans.tokens[span]
        exponent = chart.exponents[span]
        _gather(products, spans, rules, chart, (span, exponent))
        any_slope = _slopes(products, slopes, counts, rules, outer[span])
        for size in range(1, length):
            left = spans.span_of[size - 1, token]
            right = spans.span_of[length - size - 1, token + size]
            if chart.filled[left] > 0 and chart.filled[right] > 0:
                factor = math.ldexp(1.0, chart.exponents[left] + chart.exponents[right] - exponent)
                outer[left] += any_slope * factor * chart.sums[right]
                outer[right] += any_slope * factor * chart.sums[left]
                _pass_down(slopes, rules, chart, outer, (left, right, factor))
    return counts


@njit(cache=True, nogil=True)
def _gather_best(
    products: Array, spans: SpanArrays, rules: RuleArrays, chart: Chart, at: tuple[int, int]
) -> float:  # pragma: no cover
    """As `_gather`, with the largest product in place of the sum."""
    span, base = at
    length = spans.lengths[span]
    token = spans.tokens[span]
    products[:] = 0.0
    any_pair = 0.0
    for size in range(1, length):
        left = spans.span_of[size - 1, token]
        right = spans.span_of[length - size - 1, token + size]
        factor = math.ldexp(1.0, chart.exponents[left] + chart.exponents[right] - base)
        any_pair = max(any_pair, factor * chart.sums[left] * chart.sums[right])
        for n in range(chart.filled[left]):
            a = chart.active[left, n]
            x = chart.cells[left, a] * factor
            for p in range(rules.pair_start[a], rules.pair_start[a + 1]):
                products[p] = max(products[p], x * chart.cells[right, rules.pair_right[p]])
    return any_pair


@njit(cache=True, nogil=True)
def best(spans: SpanArrays, rules: RuleArrays) -> Chart:  # pragma: no cover
    """As `inside`, with the most likely derivation in place of the sum over all."""
    relations = rules.background.size
    chart = _new_chart(spans.lengths.size, relations)
    products = np.empty(rules.pair_right.size)
    for span in range(spans.lengths.size):
        cell = chart.cells[span]
        base = 0
        if spans.lengths[span] == 1:
            cell[:] = rules.emission[spans.observed[spans.tokens[span]]]
        else:
            found, base = _base(spans, chart, span)
            if not found:
                continue
            any_pair = _gather_best(products, spans, rules, chart, (span, base))
            for h in range(relations):
                cell[h] = rules.background[h] * any_pair
            for p in range(products.size):
                for r in range(rules.rule_start[p], rules.rule_start[p + 1]):
                    h = rules.rule_head[r]
                    cell[h] = max(cell[h], products[p] * (rules.rule_weight[r] + rules.background[h]))
        _close(chart, span, base)
        chart.sums[span] = cell.max()
    return chart


@njit(cache=True, nogil=True)
def _best_split(
    spans: SpanArrays, rules: RuleArrays, chart: Chart, stretch: tuple[int, int], head: int
) -> tuple[int, int, int, int]:  # pragma: no cover
    """The size of the left part, the two relations and the rule (-1: background) that give `head` its value.

    The stretch is a token and a length. Ties go to the first split, then to the first rule.
    """
    token, length = stretch
    exponent = chart.exponents[spans.span_of[length - 1, token]]
    top = -1.0
    found = (-1, -1, -1, -1)
    for size in range(1, length):
        left = spans.span_of[size - 1, token]
        right = spans.span_of[length - size - 1, token + size]
        factor = math.ldexp(1.0, chart.exponents[left] + chart.exponents[right] - exponent)
        for n in range(chart.filled[left]):
            a = chart.active[left, n]
            x = chart.cells[left, a] * factor
            for p in range(rules.pair_start[a], rules.pair_start[a + 1]):
                y = x * chart.cells[right, rules.pair_right[p]]
                for r in range(rules.rule_start[p], rules.rule_start[p + 1]):
                    value = y * (rules.rule_weight[r] + rules.background[head])
                    if rules.rule_head[r] == head and value > top:
                        top = value
                        found = (size, a, rules.pair_right[p], r)
        value = factor * chart.sums[left] * chart.sums[right] * rules.background[head]
        if value > top:
            top = value
            found = (size, chart.cells[left].argmax(), chart.cells[right].argmax(), -1)
    return found


@njit(cache=True, nogil=True)
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
