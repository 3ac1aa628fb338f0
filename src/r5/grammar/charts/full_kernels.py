"""Kernels of full cells: every relation has a derivation over every span.

This is so where every rule and every confusion is conceivable: in training with few relations, and in all answers.
A chart's values are then a matrix, [spans, relations].

Spans of one length are independent: a *block* of them is processed at once, a column for each, so that all loops run
along the block, on vector units. The order of summation depends on the blocks alone, never on the width of a vector,
so the bits are the same on every machine.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from r5._util.kernels.compilation import int64, njit_shared
from r5.grammar.charts.cell_kernels import (
    Array,
    Chart,
    RuleArrays,
    SpanArrays,
    base_exponent,
    scale_factors,
    write_leaf,
)

__all__ = ["BlockScratch", "begin_inside", "begin_outside", "pass_down", "put_cells"]


class BlockScratch(NamedTuple):
    """Pairs of relations, and scratch arrays of a block, with a column for each of its spans."""

    lefts: Array  # [pairs]
    rights: Array  # [pairs]
    products: Array  # [pairs, columns], the sum over all splits of left * right
    gradients: Array  # [pairs, columns], derivative with respect to each pair
    cell: Array  # [relations, columns], values of the cells, or their derivatives
    parts: Array  # [4, relations, columns]: the left and right parts of one split, and of another
    added: Array  # [2, relations, columns], derivatives of the left and the right part
    base: Array  # [columns], the exponents that numbers are relative to
    parts_at: Array  # [2, columns], the left and right parts of the split looked at last
    factors: Array  # [2, columns], of the products of one split, and of another
    any_pair: Array  # [columns], the products of all pairs together, whether they are listed or not
    any_gradient: Array  # [columns], derivative with respect to those


@njit_shared
def _fill_leaves(
    spans: SpanArrays, rules: RuleArrays, chart: Chart, values: Array, at: tuple[int, int]
) -> None:  # pragma: no cover
    """Fill the cells of some spans of length 1 with the possible true relations of their edges."""
    for span in range(at[0], at[1]):
        cell = values[span]
        for h in range(cell.size):
            cell[h] = 0.0
        write_leaf(cell, rules, spans.observed[spans.tokens[span]])
        _scale(cell, chart, span, int64(0))


@njit_shared
def _scale(cell: Array, chart: Chart, span: int, base: int) -> None:  # pragma: no cover
    """Scale the largest entry of a cell into [0.5, 1), as `store_cell` does; an empty cell stays empty."""
    top = 0.0
    for h in range(cell.size):
        top = max(top, cell[h])
    total = 0.0
    if top > 0.0:
        shift, factor, rest = scale_factors(top)
        for h in range(cell.size):
            cell[h] = cell[h] * factor * rest
            total += cell[h]
        chart.exponents[span] = base + shift
        chart.filled[span] = cell.size
    chart.sums[span] = total


@njit_shared
def put_cells(chart: Chart, values: Array, scratch: BlockScratch, at: tuple[int, int]) -> None:  # pragma: no cover
    """Move the cells of a block into the chart, scaled."""
    for span in range(at[0], at[1]):
        column = span - at[0]
        cell = values[span]
        for h in range(cell.size):
            cell[h] = scratch.cell[h, column]
        _scale(cell, chart, span, scratch.base[column])


@njit_shared
def _copy_parts(
    spans: SpanArrays, chart: Chart, values: Array, scratch: BlockScratch, at: tuple[int, int, int, int]
) -> None:  # pragma: no cover
    """Copy the two parts of each span of a block; `at` is the block, the size of the left part, and the slot.

    The left parts are multiplied by a factor for the exponents of both.
    """
    first, last, size, which = at
    left_part, right_part, factors, parts_at = (
        scratch.parts[2 * which],
        scratch.parts[2 * which + 1],
        scratch.factors[which],
        scratch.parts_at,
    )
    rest = spans.lengths[first] - size
    for span in range(first, last):  # by itself, as all of this is far apart in memory: many look-ups at a time
        column, token = span - first, spans.tokens[span]
        left, right = spans.span_of[size - 1, token], spans.span_of[rest - 1, token + size]
        parts_at[0, column], parts_at[1, column] = left, right
        factors[column] = math.ldexp(1.0, chart.exponents[left] + chart.exponents[right] - scratch.base[column])
        scratch.any_pair[column] += factors[column] * chart.sums[left] * chart.sums[right]
    for column in range(last - first):
        factor, row, other = factors[column], values[parts_at[0, column]], values[parts_at[1, column]]
        for h in range(row.size):
            left_part[h, column] = row[h] * factor
            right_part[h, column] = other[h]


@njit_shared
def _multiply(
    spans: SpanArrays, chart: Chart, values: Array, scratch: BlockScratch, at: tuple[int, int], known: bool
) -> None:  # pragma: no cover
    """Write the sum over all splits of left * right, for each pair and for all together, of a block.

    The sums are relative to the exponents of the spans, if `known`, else to the largest of all splits, which are then
    stored in the scratch arrays. Two splits are added at a time, in order.
    """
    first, last = at
    columns, length = last - first, spans.lengths[first]
    for span in range(first, last):
        scratch.base[span - first] = chart.exponents[span] if known else base_exponent(spans, chart, span)[1]
        scratch.any_pair[span - first] = 0.0
    for p in range(scratch.lefts.size):
        row = scratch.products[p]
        for s in range(columns):
            row[s] = 0.0
    for size in range(1, length, 2):
        _copy_parts(spans, chart, values, scratch, (first, last, size, int64(0)))
        if size + 1 < length:
            _copy_parts(spans, chart, values, scratch, (first, last, size + 1, int64(1)))
            _add_two(scratch, columns)
        else:
            _add_one(scratch, columns)


@njit_shared
def _add_one(scratch: BlockScratch, columns: int) -> None:  # pragma: no cover
    """Add the products of one split."""
    left_part, right_part = scratch.parts[0], scratch.parts[1]
    for p in range(scratch.lefts.size):
        row, x, y = scratch.products[p], left_part[scratch.lefts[p]], right_part[scratch.rights[p]]
        for s in range(columns):
            row[s] += x[s] * y[s]


@njit_shared
def _add_two(scratch: BlockScratch, columns: int) -> None:  # pragma: no cover
    """Add the products of two splits."""
    left_part, right_part = scratch.parts[0], scratch.parts[1]
    next_left, next_right = scratch.parts[2], scratch.parts[3]
    for p in range(scratch.lefts.size):
        a, b = scratch.lefts[p], scratch.rights[p]
        row, x, y, u, v = scratch.products[p], left_part[a], right_part[b], next_left[a], next_right[b]
        for s in range(columns):
            row[s] = (row[s] + x[s] * y[s]) + u[s] * v[s]


@njit_shared
def begin_inside(
    spans: SpanArrays, rules: RuleArrays, chart: Chart, values: Array, scratch: BlockScratch, at: tuple[int, int]
) -> bool:  # pragma: no cover
    """Multiply the parts of the spans of a block; return False for leaves, which are filled."""
    if spans.lengths[at[0]] == 1:
        _fill_leaves(spans, rules, chart, values, at)
        return False
    _multiply(spans, chart, values, scratch, at, False)
    return True


@njit_shared
def begin_outside(
    spans: SpanArrays, chart: Chart, values: Array, outer: Array, scratch: BlockScratch, at: tuple[int, int]
) -> bool:  # pragma: no cover
    """Copy the derivatives of the cells of a block, and multiply; return False for leaves and zero derivatives."""
    if spans.lengths[at[0]] == 1:
        return False
    some = False
    for span in range(at[0], at[1]):
        row = outer[span]
        for h in range(row.size):
            scratch.cell[h, span - at[0]] = row[h]
            some = some or row[h] > 0.0
    if some:
        _multiply(spans, chart, values, scratch, at, True)
    return some


@njit_shared
def pass_down(
    spans: SpanArrays, chart: Chart, values: Array, outer: Array, scratch: BlockScratch, at: tuple[int, int]
) -> None:  # pragma: no cover
    """Propagate the derivatives of the pairs of a block, and that of all pairs, to both parts of each split."""
    first, last = at
    columns = last - first
    to_left, to_right, parts_at = scratch.added[0], scratch.added[1], scratch.parts_at
    for size in range(1, spans.lengths[first]):
        _copy_parts(spans, chart, values, scratch, (first, last, size, int64(0)))
        _part_gradients(scratch, columns)
        for column in range(columns):
            left, right, factor = parts_at[0, column], parts_at[1, column], scratch.factors[0, column]
            any_gradient = scratch.any_gradient[column] * factor
            row, to_all = outer[left], any_gradient * chart.sums[right]
            for h in range(row.size):
                row[h] += to_left[h, column] * factor + to_all
            other, to_all = outer[right], any_gradient * chart.sums[left]
            for h in range(other.size):
                other[h] += to_right[h, column] + to_all


@njit_shared
def _part_gradients(scratch: BlockScratch, columns: int) -> None:  # pragma: no cover
    """Write the derivatives of both parts of a split: the pairs' derivatives times the other part.

    Both in one loop, as the derivatives exceed the nearest cache.
    """
    left_part, right_part, to_left, to_right = scratch.parts[0], scratch.parts[1], scratch.added[0], scratch.added[1]
    for h in range(to_left.shape[0]):
        left, right = to_left[h], to_right[h]
        for s in range(columns):
            left[s] = 0.0
            right[s] = 0.0
    for p in range(scratch.lefts.size):
        a, b = scratch.lefts[p], scratch.rights[p]
        gradient, x, y, left, right = scratch.gradients[p], left_part[a], right_part[b], to_left[a], to_right[b]
        for s in range(columns):
            left[s] += gradient[s] * y[s]
            right[s] += gradient[s] * x[s]
