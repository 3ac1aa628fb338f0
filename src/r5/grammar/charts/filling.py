"""Filling charts: kernels called for some spans at a time, so that neither interrupt nor time limit is kept waiting.

What is filled does not depend on how the spans are cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from r5._util.budget import Budget
from r5._util.pace import Pace
from r5.grammar.charts.best_kernels import best_some
from r5.grammar.charts.cell_kernels import Array, Chart, RuleArrays, SpanArrays, new_chart, new_desk, trimmed
from r5.grammar.charts.dense_kernels import inside_dense_some, outside_dense_some
from r5.grammar.charts.inside_outside_kernels import count_leaves, inside_some, outside_some
from r5.grammar.charts.listed_kernels import inside_listed_some, outside_listed_some

__all__ = ["best", "inside", "outside"]

_FIRST_PIECE = 64
_PAIR_SHARE = 3
"""A pair whose product is taken by itself costs as much as so many of all pairs."""
_TABLE_SHARE = 8
"""A rule that is looked at by itself costs as much as so many in a table."""


def inside(spans: SpanArrays, rules: RuleArrays, budget: Budget | None = None) -> Chart:
    """Fill all cells bottom up: how likely each relation is to become what is observed, over all derivations."""
    relations = rules.background.size
    if _has_full_cells(rules):
        return _inside_full(spans, rules, budget)
    anything = relations > 0 and rules.background.max() > 0.0
    desk = new_desk(rules)

    def fill(chart: Chart, at: tuple[int, int, int]) -> tuple[Chart, int]:
        return inside_some(spans, rules, chart, desk, at)

    return _filled(spans, relations if anything else 4, fill, budget)


def best(spans: SpanArrays, rules: RuleArrays, budget: Budget | None = None) -> Chart:
    """As `inside`, with the most likely derivation in place of the sum over all."""
    desk = new_desk(rules)

    def fill(chart: Chart, at: tuple[int, int, int]) -> tuple[Chart, int]:
        return best_some(spans, rules, chart, desk, at)

    return _filled(spans, 4, fill, budget)


def outside(
    spans: SpanArrays, rules: RuleArrays, chart: Chart, outer: Array, budget: Budget | None = None
) -> tuple[Array, Array]:
    """Pass the derivative of the log likelihood down from the roots, and count.

    `outer` [entries] holds it at the roots and, afterwards, everywhere, relative to the scaled
    values: `outer * values` are expected counts. Returns the expected count of each rule and of
    each leaf that is listed. Uses of the background for pairs without a rule are not counted.
    """
    desk = new_desk(rules)
    if _has_full_cells(rules):
        counts = _outside_full(spans, rules, chart, outer, budget)
        return counts, count_leaves(spans, rules, chart, outer, desk)
    counts, slopes = np.zeros(rules.rule_weight.size), np.empty(rules.pair_right.size)
    total = spans.lengths.size
    for first, last in _pieces(total, budget):
        outside_some(spans, rules, chart, desk, (outer, counts, slopes), (total - last, total - first))
    return counts, count_leaves(spans, rules, chart, outer, desk)


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


def _tables(rules: RuleArrays) -> Array:
    """Room for tables of all pairs; none where so few pairs have rules that it is faster to look at each by itself."""
    relations = rules.background.size
    many = rules.pair_right.size * _PAIR_SHARE >= relations**2
    return np.zeros((3 if many else 0, relations, relations))


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


def _inside_full(spans: SpanArrays, rules: RuleArrays, budget: Budget | None) -> Chart:
    """As `inside`, where all cells are full."""
    relations, total = rules.background.size, spans.lengths.size
    chart = new_chart(total, total * relations)
    chart.starts[:] = np.arange(total) * relations
    chart.relations[:] = np.tile(np.arange(relations, dtype=np.int32), total)
    values = chart.values.reshape(total, relations)
    if _in_a_table(rules):
        table, products = _table(rules), np.empty((relations, relations))
        room = products, products.reshape(-1)
        for piece in _pieces(total, budget):
            inside_dense_some(spans, rules, table, chart, values, room, piece)
        return chart
    lefts, among = _lefts(rules), (np.empty(rules.pair_right.size), _tables(rules))
    for piece in _pieces(total, budget):
        inside_listed_some(spans, lefts, rules, chart, values, among, piece)
    return chart


def _outside_full(spans: SpanArrays, rules: RuleArrays, chart: Chart, outer: Array, budget: Budget | None) -> Array:
    """As `outside`, where all cells are full: the expected count of each rule."""
    relations, total = rules.background.size, spans.lengths.size
    values, above = chart.values.reshape(total, relations), outer.reshape(total, relations)
    weights = rules.rule_weight + rules.background[rules.rule_head]
    if _in_a_table(rules):
        by_head = np.ascontiguousarray(_table(rules).T)
        table = np.zeros_like(by_head)
        products, slopes, turned = np.empty((3, relations, relations))
        room = products, products.reshape(-1), slopes, slopes.reshape(-1), turned
        for first, last in _pieces(total, budget):
            outside_dense_some(spans, by_head, chart, values, room, (above, table), (total - last, total - first))
        found: Array = table.T.reshape(-1)[_places(rules)] * weights
        return found
    lefts, listed = _lefts(rules), np.empty((2, rules.pair_right.size))
    among, uses = (listed[0], listed[1], _tables(rules)), np.zeros(weights.size)
    for first, last in _pieces(total, budget):
        outside_listed_some(spans, lefts, rules, chart, values, among, (above, uses), (total - last, total - first))
    counted: Array = uses * weights
    return counted


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


def _pieces(total: int, budget: Budget | None) -> Iterator[tuple[int, int]]:
    """Spans from a first to before a last, few enough at a time; an error where the budget is over."""
    at, pace = 0, Pace(_FIRST_PIECE)
    while at < total:
        last = min(at + pace.size, total)
        yield at, last
        at = last
        pace.done()
        if budget is not None:
            budget.check()
