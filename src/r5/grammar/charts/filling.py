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
from r5.grammar.charts.inside_outside_kernels import count_leaves, inside_some, outside_some, weight_table

__all__ = ["best", "inside", "outside"]

_FIRST_PIECE = 64


def inside(spans: SpanArrays, rules: RuleArrays, budget: Budget | None = None) -> Chart:
    """Fill all cells bottom up: how likely each relation is to become what is observed, over all derivations."""
    relations = rules.background.size
    anything = relations > 0 and rules.background.max() > 0.0
    table, desk = weight_table(rules), new_desk(rules)

    def fill(chart: Chart, at: tuple[int, int, int]) -> tuple[Chart, int]:
        return inside_some(spans, rules, chart, desk, table, at)

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
    counts, slopes = np.zeros(rules.rule_weight.size), np.empty(rules.pair_right.size)
    total = spans.lengths.size
    for first, last in _pieces(total, budget):
        outside_some(spans, rules, chart, desk, (outer, counts, slopes), (total - last, total - first))
    return counts, count_leaves(spans, rules, chart, outer, desk)


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
