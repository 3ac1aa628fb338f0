"""Chart kernels for few rules and full cells: each rule is looked at by itself, all others share the background.

So it is at the end of learning with few relations, and in all answers. Beside its own rules, each relation h becomes
every pair with probability `background[h]`: what this adds to a span is `background[h]` times the product of the sums
of its two parts, and the weight of a rule is `rule_weight + background[rule_head]`.
"""

from __future__ import annotations

from r5._util.kernels import njit_free, njit_shared
from r5.grammar.charts.cell_kernels import Array, Chart, RuleArrays, SpanArrays
from r5.grammar.charts.full_kernels import BlockScratch, begin_inside, begin_outside, pass_down, put_cells

__all__ = ["inside_listed_some", "outside_listed_some"]


@njit_free
def inside_listed_some(
    spans: SpanArrays,
    rules: RuleArrays,
    chart: Chart,
    values: Array,
    room: BlockScratch,
    blocks: Array,
    at: tuple[int, int],
) -> None:  # pragma: no cover
    """Fill the cells of some blocks, those before being filled; `values` [spans, relations] are those of the chart."""
    for block in range(at[0], at[1]):
        here = blocks[block], blocks[block + 1]
        if begin_inside(spans, rules, chart, values, room, here):
            _merge(rules, room, here[1] - here[0])
            put_cells(chart, values, room, here)


@njit_shared
def _merge(rules: RuleArrays, room: BlockScratch, columns: int) -> None:  # pragma: no cover
    """What the pairs become, by their rules and by the background."""
    for h in range(rules.background.size):
        weight, row = rules.background[h], room.cell[h]
        for s in range(columns):
            row[s] = weight * room.any_pair[s]
    for p in range(room.lefts.size):
        x = room.products[p]
        for r in range(rules.rule_start[p], rules.rule_start[p + 1]):
            weight, row = rules.rule_weight[r], room.cell[rules.rule_head[r]]
            for s in range(columns):
                row[s] += x[s] * weight


@njit_shared
def _count(rules: RuleArrays, room: BlockScratch, uses: Array, columns: int) -> None:  # pragma: no cover
    """How much depends on each pair, and on all; add what depends on the head of each rule times the pair's product."""
    for s in range(columns):
        room.any_slope[s] = 0.0
    for h in range(rules.background.size):
        weight, above = rules.background[h], room.cell[h]
        for s in range(columns):
            room.any_slope[s] += above[s] * weight
    for p in range(room.lefts.size):
        slope, x = room.slopes[p], room.products[p]
        for s in range(columns):
            slope[s] = 0.0
        for r in range(rules.rule_start[p], rules.rule_start[p + 1]):
            weight, above = rules.rule_weight[r], room.cell[rules.rule_head[r]]
            for s in range(columns):
                slope[s] += above[s] * weight
            uses[r] += _sum_of_products(above, x, columns)


@njit_shared
def _sum_of_products(ours: Array, others: Array, columns: int) -> float:  # pragma: no cover
    """Four sums side by side, then their sum."""
    a = b = c = d = 0.0
    place = 0
    while place + 4 <= columns:
        a += ours[place] * others[place]
        b += ours[place + 1] * others[place + 1]
        c += ours[place + 2] * others[place + 2]
        d += ours[place + 3] * others[place + 3]
        place += 4
    while place < columns:
        a += ours[place] * others[place]
        place += 1
    return (a + b) + (c + d)


@njit_free
def outside_listed_some(
    spans: SpanArrays,
    rules: RuleArrays,
    chart: Chart,
    values: Array,
    room: BlockScratch,
    sums: tuple[Array, Array],
    blocks: Array,
    at: tuple[int, int],
) -> None:  # pragma: no cover
    """Pass the derivative of the log likelihood down from some blocks, those after being done, and add up.

    `sums` are the derivative [spans, relations] and, for each rule, the sum over all spans of the head's derivative
    times the pair's product.
    """
    outer, uses = sums
    for block in range(at[1] - 1, at[0] - 1, -1):
        here = blocks[block], blocks[block + 1]
        if begin_outside(spans, chart, values, outer, room, here):
            _count(rules, room, uses, here[1] - here[0])
            pass_down(spans, chart, values, outer, room, here)
