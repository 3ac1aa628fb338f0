"""Chart kernels for when most rules have weight, as at the beginning of learning: cells are full, rules in a table.

Four products are added to each place at a time, in the order in which they are written.
"""

from __future__ import annotations

from r5._util.kernels import njit_free, njit_shared
from r5.grammar.charts.cell_kernels import Array, Chart, RuleArrays, SpanArrays
from r5.grammar.charts.full_kernels import BlockScratch, begin_inside, begin_outside, pass_down, put_cells

__all__ = ["inside_dense_some", "outside_dense_some"]


@njit_shared
def _merge(cell: Array, products: Array, table: Array, columns: int) -> None:  # pragma: no cover
    """What the pairs become, by their weights [pairs, relations]."""
    pairs, relations = table.shape
    for h in range(relations):
        total = cell[h]
        for s in range(columns):
            total[s] = 0.0
    place = 0
    while place + 4 <= pairs:
        a, b, c, d = products[place], products[place + 1], products[place + 2], products[place + 3]
        for h in range(relations):
            w, x, y, z = table[place, h], table[place + 1, h], table[place + 2, h], table[place + 3, h]
            total = cell[h]
            for s in range(columns):
                total[s] += (w * a[s] + x * b[s]) + (y * c[s] + z * d[s])
        place += 4
    while place < pairs:
        a = products[place]
        for h in range(relations):
            w, total = table[place, h], cell[h]
            for s in range(columns):
                total[s] += w * a[s]
        place += 1


@njit_shared
def _slope(slopes: Array, above: Array, table: Array, columns: int) -> None:  # pragma: no cover
    """How much depends on each pair, by what depends on what it becomes."""
    pairs, relations = table.shape
    for p in range(pairs):
        total, weights = slopes[p], table[p]
        for s in range(columns):
            total[s] = 0.0
        h = 0
        while h + 4 <= relations:
            a, b, c, d = above[h], above[h + 1], above[h + 2], above[h + 3]
            w, x, y, z = weights[h], weights[h + 1], weights[h + 2], weights[h + 3]
            for s in range(columns):
                total[s] += (w * a[s] + x * b[s]) + (y * c[s] + z * d[s])
            h += 4
        while h < relations:
            a, w = above[h], weights[h]
            for s in range(columns):
                total[s] += w * a[s]
            h += 1


@njit_free
def inside_dense_some(
    spans: SpanArrays,
    rules: RuleArrays,
    table: Array,
    chart: Chart,
    values: Array,
    room: BlockScratch,
    blocks: Array,
    at: tuple[int, int],
) -> None:  # pragma: no cover
    """Fill the cells of some blocks, those before being filled; `values` [spans, relations] are those of the chart.

    `table` are the weights by pair and head, with the background.
    """
    for block in range(at[0], at[1]):
        here = blocks[block], blocks[block + 1]
        if begin_inside(spans, rules, chart, values, room, here):
            _merge(room.cell, room.products, table, here[1] - here[0])
            put_cells(chart, values, room, here)


@njit_shared
def _count(uses: Array, room: BlockScratch, turned: Array, columns: int) -> None:  # pragma: no cover
    """Add what depends on each head times the product of each pair, one span after the other, four at a time."""
    pairs = uses.shape[1]
    for place in range(0, columns, 4):
        few = min(columns - place, 4)
        for p in range(pairs):
            for n in range(4):
                turned[n, p] = room.products[p, place + n] if n < few else 0.0
        a, b, c, d = turned[0], turned[1], turned[2], turned[3]
        for h in range(uses.shape[0]):
            above, row = room.cell[h], uses[h]
            w = above[place]
            x = above[place + 1] if few > 1 else 0.0
            y = above[place + 2] if few > 2 else 0.0
            z = above[place + 3] if few > 3 else 0.0
            for p in range(pairs):
                row[p] = (((row[p] + w * a[p]) + x * b[p]) + y * c[p]) + z * d[p]


@njit_free
def outside_dense_some(
    spans: SpanArrays,
    table: Array,
    chart: Chart,
    values: Array,
    room: BlockScratch,
    turned: Array,
    sums: tuple[Array, Array],
    blocks: Array,
    at: tuple[int, int],
) -> None:  # pragma: no cover
    """Pass the derivative of the log likelihood down from some blocks, those after being done, and add up.

    `table` are the weights by pair and head, with the background. `sums` are the derivative [spans, relations] and, for
    each head and pair, the sum over all spans of the head's derivative times the pair's product; `turned` is room for
    the products of four spans, by span and pair.
    """
    outer, uses = sums
    for block in range(at[1] - 1, at[0] - 1, -1):
        here = blocks[block], blocks[block + 1]
        columns = here[1] - here[0]
        if begin_outside(spans, chart, values, outer, room, here):
            _slope(room.slopes, room.cell, table, columns)
            _count(uses, room, turned, columns)
            for s in range(columns):
                room.any_slope[s] = 0.0  # the background is in the table
            pass_down(spans, chart, values, outer, room, here)
