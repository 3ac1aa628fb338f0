"""Chart cells: arrays of the chart kernels, and their scratch arrays.

A *span* is a distinct part of a path of observed relations; spans come shortest first, and equal parts of different
paths are one span (see `spans.py`). The cell of a span lists the relations that have a derivation, so that time and
memory grow with those and with the rules that apply to them, not with all relations.

Cells are scaled by powers of two, which is exact: the true value of an entry is
`values[n] * 2 ** exponents[s]`, and the largest entry of a cell lies in [0.5, 1).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_entry, njit_inner, njit_private, njit_shared

__all__ = [
    "Array",
    "CellScratch",
    "Chart",
    "RuleArrays",
    "SpanArrays",
    "all_heads",
    "base_exponent",
    "by_relation",
    "clear_cell",
    "entries",
    "expand_cell",
    "fill_leaf",
    "grown",
    "new_chart",
    "new_scratch",
    "scale_factors",
    "sort_heads",
    "store_cell",
    "write_leaf",
]

Array = NDArray[Any]

_FEW_HEADS = 64


class SpanArrays(NamedTuple):
    """Spans of a chart, shortest first."""

    lengths: Array  # [spans]
    tokens: Array  # [spans], where each occurs first
    observed: Array  # [tokens], relations; the number of relations for one never seen
    span_of: Array  # [longest, tokens], the span of each length that starts at each token


class RuleArrays(NamedTuple):
    """Rules in compressed rows, twice: from the left relation to the pair, and from the pair to the head.

    Leaves are in rows by the observed relation; the last row is for unseen relations.
    """

    pair_start: Array  # [relations + 1]
    pair_right: Array  # [pairs]
    rule_start: Array  # [pairs + 1]
    rule_head: Array  # [rules]
    rule_weight: Array  # [rules]
    background: Array  # [relations]
    leaf_start: Array  # [relations + 2]
    leaf_true: Array  # [leaves]
    leaf_weight: Array  # [leaves], P(a relation stops and is observed as that of the row)
    stray: Array  # [relations], the same for unlisted leaves, or [0] if they have no weight


class Chart(NamedTuple):
    """Filled cells: the entries of span s begin at `starts[s]`, with sorted relations."""

    starts: Array  # [spans]
    filled: Array  # [spans], how many relations have a derivation
    relations: Array  # [entries]
    values: Array  # [entries], scaled
    exponents: Array  # [spans]
    sums: Array  # [spans], over a cell; for best derivations, the largest entry


class CellScratch(NamedTuple):
    """Scratch arrays of a cell. `cell`, `other`, `outer` and `seen` are zero between calls."""

    products: Array  # [pairs]
    rows: Array  # [relations], the left relations whose pairs have products
    seen: Array  # [relations], which these are
    heads: Array  # [relations], the relations that are in `cell`
    cell: Array  # [relations]
    other: Array  # [relations]
    outer: Array  # [relations]


def new_scratch(rules: RuleArrays) -> CellScratch:
    """Return scratch arrays for the kernels."""
    relations = rules.background.size
    return CellScratch(
        np.empty(rules.pair_right.size),
        np.empty(relations, np.int32),
        np.zeros(relations, np.bool_),
        np.empty(relations, np.int32),
        np.zeros(relations),
        np.zeros(relations),
        np.zeros(relations),
    )


def new_chart(spans: int, entries: int) -> Chart:
    """Return empty cells with an initial number of entries."""
    return Chart(
        np.zeros(spans, np.int64),
        np.zeros(spans, np.int64),
        np.empty(entries, np.int32),
        np.empty(entries),
        np.zeros(spans, np.int64),
        np.zeros(spans),
    )


@njit_private
def grown(chart: Chart, used: int, more: int) -> Chart:  # pragma: no cover
    """Return the chart with space for further entries; its size doubles if it must grow."""
    if used + more <= chart.values.size:
        return chart
    relations = np.empty(2 * used + more, np.int32)
    values = np.empty(2 * used + more)
    for n in range(used):  # a slice assigned compiles for seconds
        relations[n] = chart.relations[n]
        values[n] = chart.values[n]
    return Chart(chart.starts, chart.filled, relations, values, chart.exponents, chart.sums)


@njit_private
def expand_cell(chart: Chart, span: int, values: Array, buffer: Array) -> Array:  # pragma: no cover
    """Return the values of a cell by relation: a view of a full cell, else a copy in `buffer`."""
    start = chart.starts[span]
    stop = start + chart.filled[span]
    if stop - start == buffer.size:
        return values[start:stop]
    for n in range(start, stop):
        buffer[chart.relations[n]] = values[n]
    return buffer


@njit_private
def clear_cell(chart: Chart, span: int, buffer: Array) -> None:  # pragma: no cover
    """Undo `expand_cell`."""
    if chart.filled[span] < buffer.size:
        for n in range(chart.starts[span], chart.starts[span] + chart.filled[span]):
            buffer[chart.relations[n]] = 0.0


@njit_inner
def scale_factors(top: float) -> tuple[int, float, float]:  # pragma: no cover
    """Return the exponent of a number, and two factors whose product scales it into [0.5, 1)."""
    shift = math.frexp(top)[1]
    first = max(-shift, -1000) if shift > 0 else min(-shift, 1000)
    # The second factor is 1 unless the shift is beyond what one factor can express.
    return shift, math.ldexp(1.0, first), math.ldexp(1.0, -shift - first)


@njit_private
def store_cell(chart: Chart, span: int, scratch: CellScratch, at: tuple[int, int, int]) -> int:  # pragma: no cover
    """Move the scratch cell, scaled, into the chart; `at` is the number of heads, the first entry and the exponent."""
    count, start, base = at
    heads, cell = scratch.heads, scratch.cell
    relations, values = chart.relations, chart.values
    top = 0.0
    for n in range(count):
        top = max(top, cell[heads[n]])
    chart.starts[span] = start
    stop = start
    if top > 0.0:
        shift, factor, rest = scale_factors(top)
        for n in range(count):
            value = cell[heads[n]] * factor * rest
            if value > 0.0:
                relations[stop] = heads[n]
                values[stop] = value
                stop += 1
        chart.exponents[span] = base + shift
        chart.filled[span] = stop - start
    for n in range(count):
        cell[heads[n]] = 0.0
    return stop


@njit_private
def all_heads(scratch: CellScratch) -> int:  # pragma: no cover
    for h in range(scratch.heads.size):
        scratch.heads[h] = h
    return scratch.heads.size


@njit_private
def sort_heads(scratch: CellScratch, count: int) -> None:  # pragma: no cover
    """Sort the heads: few by insertion, many by a pass over all relations."""
    heads = scratch.heads
    if count > _FEW_HEADS:
        n = 0
        for h in range(heads.size):
            if scratch.cell[h] > 0.0:
                heads[n] = h
                n += 1
        return
    for n in range(1, count):
        head = heads[n]
        m = n
        while m > 0 and heads[m - 1] > head:
            heads[m] = heads[m - 1]
            m -= 1
        heads[m] = head


@njit_shared
def write_leaf(cell: Array, rules: RuleArrays, observed: int) -> bool:  # pragma: no cover
    """Write the possible true relations of an edge to an empty cell; return whether every relation has been written."""
    strays = rules.stray.size == cell.size and observed < cell.size
    if strays:
        for h in range(cell.size):
            cell[h] = rules.stray[h]
    for n in range(rules.leaf_start[observed], rules.leaf_start[observed + 1]):
        cell[rules.leaf_true[n]] = rules.leaf_weight[n]
    return strays


@njit_private
def fill_leaf(scratch: CellScratch, rules: RuleArrays, observed: int) -> int:  # pragma: no cover
    """Write the possible true relations of an edge to the scratch cell; return the number of heads."""
    if write_leaf(scratch.cell, rules, observed):
        return all_heads(scratch)
    first, last = rules.leaf_start[observed], rules.leaf_start[observed + 1]
    for n in range(first, last):
        scratch.heads[n - first] = rules.leaf_true[n]
    return int64(last - first)


@njit_shared
def base_exponent(spans: SpanArrays, chart: Chart, span: int) -> tuple[bool, int]:  # pragma: no cover
    """Return whether a split has a derivation, and the largest exponent of a product of two parts of a span."""
    length = spans.lengths[span]
    token = spans.tokens[span]
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
    return found, largest


@njit_entry
def entries(chart: Chart, spans: Array, relations: Array) -> Array:  # pragma: no cover
    """Return the chart entries of these relations at these spans; -1 without a derivation."""
    places = np.full(spans.size, -1, np.int64)
    for place in range(spans.size):
        start = chart.starts[spans[place]]
        stop = start + chart.filled[spans[place]]
        n = start + np.searchsorted(chart.relations[start:stop], relations[place])
        if n < stop and chart.relations[n] == relations[place]:
            places[place] = n
    return places


@njit_entry
def by_relation(chart: Chart, values: Array, spans: Array, relations: int) -> Array:  # pragma: no cover
    """Return values [entries] at these spans by relation, [spans, relations]; 0 without a derivation."""
    found = np.zeros((spans.size, relations))
    for place in range(spans.size):
        start = chart.starts[spans[place]]
        for n in range(start, start + chart.filled[spans[place]]):
            found[place, chart.relations[n]] = values[n]
    return found
