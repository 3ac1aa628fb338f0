"""Chart filling: kernels are called for some spans at a time, so that interrupts and time limits take effect.

The result does not depend on the cuts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from r5._util.runtime.batch_size import AdaptiveBatchSize
from r5._util.runtime.budget import Budget
from r5.grammar.charts.block_kernels import inside_blocks, outside_blocks
from r5.grammar.charts.cell_kernels import Array, Chart, RuleArrays, SpanArrays, new_chart, new_scratch
from r5.grammar.charts.full_kernels import BlockScratch
from r5.grammar.charts.inside_outside_kernels import count_leaves, inside_some, outside_some

__all__ = ["best", "inside", "outside"]

_FIRST_SPANS, _FIRST_BLOCKS = 64, 4
_FIRST_ENTRIES = 4
"""Initial number of entries of a sparse cell."""
_MAX_COLUMNS, _MIN_COLUMNS, _MAX_PRODUCTS = 64, 8, 25_000
"""Maximum and minimum number of spans of a block, and the number of products of a block in between."""
_RULE_COST = 6
"""Cost of a rule that is read by itself, in entries of a table."""


def inside(spans: SpanArrays, rules: RuleArrays, budget: Budget | None = None) -> Chart:
    """Fill all cells bottom up with inside probabilities: the sum over all derivations."""
    if _has_full_cells(rules):
        return _inside_full(spans, rules, budget)
    return _inside_sparse(spans, rules, budget, False)


def best(spans: SpanArrays, rules: RuleArrays, budget: Budget | None = None) -> Chart:
    """Fill all cells bottom up with Viterbi probabilities: the maximum over all derivations."""
    return _inside_sparse(spans, rules, budget, True)


def outside(
    spans: SpanArrays, rules: RuleArrays, chart: Chart, outer: Array, budget: Budget | None = None
) -> tuple[Array, Array]:
    """Propagate the derivative of the log likelihood down from the roots, and count.

    Args:
        spans: The spans of the chart.
        rules: The rules.
        chart: The chart, filled by `inside`.
        outer: The derivative at the roots and, afterwards, everywhere, [entries], relative to the scaled values:
            `outer * values` are expected counts.
        budget: The time limit.

    Returns:
        The expected counts of each rule and of each listed leaf. Background uses of pairs without a rule do not count.
    """
    scratch = new_scratch(rules)
    if _has_full_cells(rules):
        counts = _outside_full(spans, rules, chart, outer, budget)
        return counts, count_leaves(spans, rules, chart, outer, scratch)
    counts, gradients = np.zeros(rules.rule_weight.size), np.empty(rules.pair_right.size)
    total = spans.lengths.size
    for first, last in _parts(total, budget):
        outside_some(spans, rules, chart, scratch, (outer, counts, gradients), (total - last, total - first))
    return counts, count_leaves(spans, rules, chart, outer, scratch)


def _has_full_cells(rules: RuleArrays) -> bool:
    """Return whether every rule and every confusion has some weight, so that every cell is full."""
    relations = rules.background.size
    if relations == 0 or rules.leaf_weight.min(initial=1.0) <= 0.0:
        return False
    listed = np.bincount(rules.leaf_true[: rules.leaf_start[relations]], minlength=relations) == relations
    if not (listed if rules.stray.size == 0 else listed | (rules.stray > 0.0)).all():
        return False
    if rules.rule_head.size == relations**3:
        return bool((rules.rule_weight.reshape(-1, relations) + rules.background).min() > 0.0)
    return bool(rules.background.min() > 0.0)


def _is_table_faster(rules: RuleArrays) -> bool:
    """Return whether a dense table of the rules is faster."""
    return rules.rule_head.size * _RULE_COST >= rules.background.size**3


def _table(rules: RuleArrays) -> Array:
    """Return the weights by pair and head, with the background; empty where reading rule by rule is faster."""
    relations = rules.background.size
    if not _is_table_faster(rules):
        return np.empty((0, relations))
    table = np.tile(rules.background, (relations**2, 1))
    table.reshape(-1)[_places(rules)] += rules.rule_weight
    return table


def _places(rules: RuleArrays) -> Array:
    """Return the position of each rule in a table of all pairs and heads."""
    relations = rules.background.size
    pairs = _lefts(rules) * relations + rules.pair_right
    return np.repeat(pairs, np.diff(rules.rule_start)) * relations + rules.rule_head


def _lefts(rules: RuleArrays) -> Array:
    """Return the first relation of each pair."""
    return np.repeat(np.arange(rules.background.size), np.diff(rules.pair_start))


def _block_scratch(rules: RuleArrays) -> BlockScratch:
    """Return scratch arrays of a block, with as many columns as fit in the processor's cache."""
    relations = rules.background.size
    if _is_table_faster(rules):
        lefts, rights = np.divmod(np.arange(relations**2), relations)
    else:
        lefts, rights = _lefts(rules), rules.pair_right.astype(np.int64)
    columns = _MAX_COLUMNS
    while columns > _MIN_COLUMNS and columns * max(lefts.size, relations) > _MAX_PRODUCTS:
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


def _blocks(spans: SpanArrays, scratch: BlockScratch) -> Array:
    """Return the start of each block of spans of one length, and the end of the last."""
    lengths = spans.lengths
    place = np.arange(lengths.size) - np.searchsorted(lengths, lengths)
    return np.append(np.flatnonzero(place % scratch.any_pair.size == 0), lengths.size)


def _inside_full(spans: SpanArrays, rules: RuleArrays, budget: Budget | None) -> Chart:
    """Fill the cells where all of them are full."""
    relations, total = rules.background.size, spans.lengths.size
    chart = new_chart(total, total * relations)
    chart.starts[:] = np.arange(total) * relations
    chart.relations[:] = np.tile(np.arange(relations, dtype=np.int32), total)
    values, scratch = chart.values.reshape(total, relations), _block_scratch(rules)
    blocks = _blocks(spans, scratch)
    table = _table(rules)
    for first, stop in _parts(blocks.size - 1, budget, _FIRST_BLOCKS):
        inside_blocks(spans, rules, table, chart, values, scratch, blocks[first : stop + 1])
    return chart


def _outside_full(spans: SpanArrays, rules: RuleArrays, chart: Chart, outer: Array, budget: Budget | None) -> Array:
    """Return the expected count of each rule where all cells are full."""
    relations, total = rules.background.size, spans.lengths.size
    values, above, scratch = (
        chart.values.reshape(total, relations),
        outer.reshape(total, relations),
        _block_scratch(rules),
    )
    blocks = _blocks(spans, scratch)
    last = blocks.size - 1
    weights = rules.rule_weight + rules.background[rules.rule_head]
    table = _table(rules)
    uses = np.zeros((relations, table.shape[0]) if table.size else (1, weights.size))
    sums = above, uses, np.empty((4, table.shape[0]))
    for first, stop in _parts(last, budget, _FIRST_BLOCKS):
        outside_blocks(spans, rules, table, chart, values, scratch, sums, blocks[last - stop : last - first + 1])
    by_rule: Array = uses.T.reshape(-1)[_places(rules)] if table.size else uses[0]
    counts: Array = by_rule * weights
    return counts


def _inside_sparse(spans: SpanArrays, rules: RuleArrays, budget: Budget | None, best: bool) -> Chart:
    """Fill the cells with sums or, for `best`, with maxima, where some may lack relations."""
    scratch, total = new_scratch(rules), spans.lengths.size
    chart, used = new_chart(total, total * _FIRST_ENTRIES), 0
    for first, last in _parts(total, budget):
        chart, used = inside_some(spans, rules, chart, scratch, (first, last, used), best)
    return chart._replace(relations=chart.relations[:used], values=chart.values[:used])


def _parts(total: int, budget: Budget | None, size: int = _FIRST_SPANS) -> Iterator[tuple[int, int]]:
    """Yield ranges of spans or blocks that take a short time each; raise on a timeout."""
    at, batch = 0, AdaptiveBatchSize(size)
    while at < total:
        last = min(at + batch.size, total)
        yield at, last
        at = last
        batch.update()
        if budget is not None:
            budget.check()
