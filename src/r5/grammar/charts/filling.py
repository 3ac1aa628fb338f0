"""Filling charts: kernels called for some spans at a time, so that neither interrupt nor time limit is kept waiting.

What is filled does not depend on how the spans are cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from r5._util.budget import Budget
from r5._util.pace import Pace
from r5.grammar.charts.cell_kernels import Array, Chart, RuleArrays, SpanArrays, new_chart, new_scratch, trimmed
from r5.grammar.charts.dense_kernels import inside_dense_some, outside_dense_some
from r5.grammar.charts.full_kernels import BlockScratch
from r5.grammar.charts.inside_outside_kernels import count_leaves, inside_some, outside_some
from r5.grammar.charts.listed_kernels import inside_listed_some, outside_listed_some
from r5.grammar.charts.viterbi_kernels import viterbi_some

__all__ = ["best", "inside", "outside"]

_FIRST_PIECE, _FIRST_BLOCKS = 64, 4
_MOST_COLUMNS, _LEAST_COLUMNS, _NUMBERS = 64, 8, 25_000
"""Spans of a block at most and at least; between, as many as make so many products."""
_TABLE_SHARE = 6
"""A rule that is looked at by itself costs as much as so many in a table."""


def inside(spans: SpanArrays, rules: RuleArrays, budget: Budget | None = None) -> Chart:
    """Fill all cells bottom up: how likely each relation is to become what is observed, over all derivations."""
    relations = rules.background.size
    if _has_full_cells(rules):
        return _inside_full(spans, rules, budget)
    anything = relations > 0 and rules.background.max() > 0.0
    scratch = new_scratch(rules)

    def fill(chart: Chart, at: tuple[int, int, int]) -> tuple[Chart, int]:
        return inside_some(spans, rules, chart, scratch, at)

    return _filled(spans, relations if anything else 4, fill, budget)


def best(spans: SpanArrays, rules: RuleArrays, budget: Budget | None = None) -> Chart:
    """As `inside`, with the most likely derivation in place of the sum over all."""
    scratch = new_scratch(rules)

    def fill(chart: Chart, at: tuple[int, int, int]) -> tuple[Chart, int]:
        return viterbi_some(spans, rules, chart, scratch, at)

    return _filled(spans, 4, fill, budget)


def outside(
    spans: SpanArrays, rules: RuleArrays, chart: Chart, outer: Array, budget: Budget | None = None
) -> tuple[Array, Array]:
    """Pass the derivative of the log likelihood down from the roots, and count.

    `outer` [entries] holds it at the roots and, afterwards, everywhere, relative to the scaled
    values: `outer * values` are expected counts. Returns the expected count of each rule and of
    each leaf that is listed. Uses of the background for pairs without a rule are not counted.
    """
    scratch = new_scratch(rules)
    if _has_full_cells(rules):
        counts = _outside_full(spans, rules, chart, outer, budget)
        return counts, count_leaves(spans, rules, chart, outer, scratch)
    counts, slopes = np.zeros(rules.rule_weight.size), np.empty(rules.pair_right.size)
    total = spans.lengths.size
    for first, last in _pieces(total, budget):
        outside_some(spans, rules, chart, scratch, (outer, counts, slopes), (total - last, total - first))
    return counts, count_leaves(spans, rules, chart, outer, scratch)


def _has_full_cells(rules: RuleArrays) -> bool:
    """Whether every rule and every mistake has some weight, so that everything has a derivation."""
    relations = rules.background.size
    if relations == 0 or rules.leaf_weight.min(initial=1.0) <= 0.0:
        return False
    listed = np.bincount(rules.leaf_true[: rules.leaf_start[relations]], minlength=relations) == relations
    if not (listed if rules.stray.size == 0 else listed | (rules.stray > 0.0)).all():
        return False
    if rules.rule_head.size == relations**3:
        return bool((rules.rule_weight.reshape(-1, relations) + rules.background).min() > 0.0)
    return bool(rules.background.min() > 0.0)


def _in_a_table(rules: RuleArrays) -> bool:
    """Whether there are so many rules that it is faster to lay them out in a table."""
    return rules.rule_head.size * _TABLE_SHARE >= rules.background.size**3


def _table(rules: RuleArrays) -> Array:
    """The weights by pair and head, with the background."""
    relations = rules.background.size
    table = np.tile(rules.background, (relations**2, 1))
    table.reshape(-1)[_places(rules)] += rules.rule_weight
    return table


def _places(rules: RuleArrays) -> Array:
    """Where in a table of all pairs and heads each rule is."""
    relations = rules.background.size
    pairs = _lefts(rules) * relations + rules.pair_right
    return np.repeat(pairs, np.diff(rules.rule_start)) * relations + rules.rule_head


def _lefts(rules: RuleArrays) -> Array:
    """The first relation of each pair."""
    return np.repeat(np.arange(rules.background.size), np.diff(rules.pair_start))


def _room(rules: RuleArrays) -> BlockScratch:
    """BlockScratch for a block; as many columns as a processor's cache has room for, about."""
    relations = rules.background.size
    if _in_a_table(rules):
        lefts, rights = np.divmod(np.arange(relations**2), relations)
    else:
        lefts, rights = _lefts(rules), rules.pair_right.astype(np.int64)
    columns = _MOST_COLUMNS
    while columns > _LEAST_COLUMNS and columns * max(lefts.size, relations) > _NUMBERS:
        columns //= 2
    return BlockScratch(
        lefts,
        rights,
        np.empty((lefts.size, columns)),
        np.empty((lefts.size, columns)),
        np.empty((relations, columns)),
        np.empty((4, relations, columns)),
        np.empty((2, relations, columns)),
        np.empty(columns, np.int64),
        np.empty((2, columns), np.int64),
        np.empty((2, columns)),
        np.empty(columns),
        np.empty(columns),
    )


def _blocks(spans: SpanArrays, room: BlockScratch) -> Array:
    """Where each block begins and, at last, where all end: spans of one length, as many as there is room for."""
    lengths = spans.lengths
    place = np.arange(lengths.size) - np.searchsorted(lengths, lengths)
    return np.append(np.flatnonzero(place % room.any_pair.size == 0), lengths.size)


def _inside_full(spans: SpanArrays, rules: RuleArrays, budget: Budget | None) -> Chart:
    """As `inside`, where all cells are full."""
    relations, total = rules.background.size, spans.lengths.size
    chart = new_chart(total, total * relations)
    chart.starts[:] = np.arange(total) * relations
    chart.relations[:] = np.tile(np.arange(relations, dtype=np.int32), total)
    values, room = chart.values.reshape(total, relations), _room(rules)
    blocks = _blocks(spans, room)
    table = _table(rules) if _in_a_table(rules) else None
    for piece in _pieces(blocks.size - 1, budget, _FIRST_BLOCKS):
        if table is None:
            inside_listed_some(spans, rules, chart, values, room, blocks, piece)
        else:
            inside_dense_some(spans, rules, table, chart, values, room, blocks, piece)
    return chart


def _outside_full(spans: SpanArrays, rules: RuleArrays, chart: Chart, outer: Array, budget: Budget | None) -> Array:
    """As `outside`, where all cells are full: the expected count of each rule."""
    relations, total = rules.background.size, spans.lengths.size
    values, above, room = chart.values.reshape(total, relations), outer.reshape(total, relations), _room(rules)
    blocks = _blocks(spans, room)
    last = blocks.size - 1
    weights = rules.rule_weight + rules.background[rules.rule_head]
    if not _in_a_table(rules):
        uses = np.zeros(weights.size)
        for first, stop in _pieces(last, budget, _FIRST_BLOCKS):
            outside_listed_some(spans, rules, chart, values, room, (above, uses), blocks, (last - stop, last - first))
        counted: Array = uses * weights
        return counted
    table = _table(rules)
    by_head, turned = np.zeros(table.shape[::-1]), np.empty((4, room.lefts.size))
    for first, stop in _pieces(last, budget, _FIRST_BLOCKS):
        piece = last - stop, last - first
        outside_dense_some(spans, table, chart, values, room, turned, (above, by_head), blocks, piece)
    found: Array = by_head.T.reshape(-1)[_places(rules)] * weights
    return found


def _filled(
    spans: SpanArrays,
    width: int,
    fill: Callable[[Chart, tuple[int, int, int]], tuple[Chart, int]],
    budget: Budget | None,
) -> Chart:
    """A chart whose cells have all been filled, with room for `width` entries each to begin with."""
    total = spans.lengths.size
    chart, used = new_chart(total, total * width), 0
    for first, last in _pieces(total, budget):
        chart, used = fill(chart, (first, last, used))
    return trimmed(chart, used)


def _pieces(total: int, budget: Budget | None, size: int = _FIRST_PIECE) -> Iterator[tuple[int, int]]:
    """Spans or blocks from a first to before a last, few enough at a time; an error where the budget is over."""
    at, pace = 0, Pace(size)
    while at < total:
        last = min(at + pace.size, total)
        yield at, last
        at = last
        pace.done()
        if budget is not None:
            budget.check()
