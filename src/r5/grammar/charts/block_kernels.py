"""Chart kernels for full cells: inside and outside over blocks of spans.

Rules are in a dense table while most of them have weight, as at the beginning of training; else each rule is read by
itself and all others share the background. Sums are added in a fixed order, four products at a time in the table.
"""

from __future__ import annotations

from r5._util.kernels.compilation import njit_free, njit_shared
from r5.grammar.charts.cell_kernels import Array, Chart, RuleArrays, SpanArrays
from r5.grammar.charts.full_kernels import BlockScratch, begin_inside, begin_outside, pass_down, put_cells

__all__ = ["inside_blocks", "outside_blocks"]


@njit_free
def inside_blocks(
    spans: SpanArrays,
    rules: RuleArrays,
    table: Array,
    chart: Chart,
    values: Array,
    scratch: BlockScratch,
    blocks: Array,
) -> None:  # pragma: no cover
    """Fill the cells of some blocks, those before being filled.

    Args:
        spans: The spans of the chart.
        rules: The rules.
        table: Weights by pair and head, with the background, [pairs, relations]; empty to read rule by rule.
        chart: The chart.
        values: Values of the chart, [spans, relations].
        scratch: Scratch arrays.
        blocks: Start of each block, and the end of the last.
    """
    for block in range(blocks.size - 1):
        at = blocks[block], blocks[block + 1]
        if begin_inside(spans, rules, chart, values, scratch, at):
            if table.shape[0] > 0:
                _merge_table(scratch.cell, scratch.products, table, at[1] - at[0])
            else:
                _merge_rules(rules, scratch, at[1] - at[0])
            put_cells(chart, values, scratch, at)


@njit_free
def outside_blocks(
    spans: SpanArrays,
    rules: RuleArrays,
    table: Array,
    chart: Chart,
    values: Array,
    scratch: BlockScratch,
    sums: tuple[Array, Array, Array],
    blocks: Array,
) -> None:  # pragma: no cover
    """Propagate the derivative of the log likelihood down from some blocks, those after being done, and count.

    Args:
        spans: The spans of the chart.
        rules: The rules.
        table: Weights by pair and head, with the background, [pairs, relations]; empty to read rule by rule.
        chart: The filled chart.
        values: Values of the chart, [spans, relations].
        scratch: Scratch arrays.
        sums: The derivative [spans, relations]; the sums of the head's derivative times the pair's product, by head and
            pair [relations, pairs] or by rule [1, rules]; a buffer for the products of four spans, [4, pairs].
        blocks: Start of each block, and the end of the last.
    """
    outer, uses, transposed = sums
    for block in range(blocks.size - 2, -1, -1):
        at = blocks[block], blocks[block + 1]
        columns = at[1] - at[0]
        if begin_outside(spans, chart, values, outer, scratch, at):
            if table.shape[0] > 0:
                _gradients_of_table(scratch.gradients, scratch.cell, table, columns)
                _count_table(scratch, uses, transposed, columns)
                for s in range(columns):
                    scratch.any_gradient[s] = 0.0  # the background is in the table
            else:
                _count_rules(rules, scratch, uses[0], columns)
            pass_down(spans, chart, values, outer, scratch, at)


@njit_shared
def _merge_table(cell: Array, products: Array, table: Array, columns: int) -> None:  # pragma: no cover
    """Write the rewrites of the pairs to the cells, by a table of weights [pairs, relations]."""
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
def _gradients_of_table(gradients: Array, above: Array, table: Array, columns: int) -> None:  # pragma: no cover
    """Write the derivative with respect to each pair, by a table of weights."""
    pairs, relations = table.shape
    for p in range(pairs):
        total, weights = gradients[p], table[p]
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


@njit_shared
def _count_table(scratch: BlockScratch, uses: Array, transposed: Array, columns: int) -> None:  # pragma: no cover
    """Add the derivative of each head times the product of each pair, span by span, four at a time."""
    pairs = uses.shape[1]
    for place in range(0, columns, 4):
        few = min(columns - place, 4)
        for p in range(pairs):
            for n in range(4):
                transposed[n, p] = scratch.products[p, place + n] if n < few else 0.0
        a, b, c, d = transposed[0], transposed[1], transposed[2], transposed[3]
        for h in range(uses.shape[0]):
            above, row = scratch.cell[h], uses[h]
            w = above[place]
            x = above[place + 1] if few > 1 else 0.0
            y = above[place + 2] if few > 2 else 0.0
            z = above[place + 3] if few > 3 else 0.0
            for p in range(pairs):
                row[p] = (((row[p] + w * a[p]) + x * b[p]) + y * c[p]) + z * d[p]


@njit_shared
def _merge_rules(rules: RuleArrays, scratch: BlockScratch, columns: int) -> None:  # pragma: no cover
    """Write the rewrites of the pairs to the cells, by their rules and by the background."""
    for h in range(rules.background.size):
        weight, row = rules.background[h], scratch.cell[h]
        for s in range(columns):
            row[s] = weight * scratch.any_pair[s]
    for p in range(scratch.lefts.size):
        x = scratch.products[p]
        for r in range(rules.rule_start[p], rules.rule_start[p + 1]):
            weight, row = rules.rule_weight[r], scratch.cell[rules.rule_head[r]]
            for s in range(columns):
                row[s] += x[s] * weight


@njit_shared
def _count_rules(rules: RuleArrays, scratch: BlockScratch, uses: Array, columns: int) -> None:  # pragma: no cover
    """Write the derivative with respect to each pair, and to all pairs, and add the counts of the rules."""
    for s in range(columns):
        scratch.any_gradient[s] = 0.0
    for h in range(rules.background.size):
        weight, above = rules.background[h], scratch.cell[h]
        for s in range(columns):
            scratch.any_gradient[s] += above[s] * weight
    for p in range(scratch.lefts.size):
        gradient, x = scratch.gradients[p], scratch.products[p]
        for s in range(columns):
            gradient[s] = 0.0
        for r in range(rules.rule_start[p], rules.rule_start[p + 1]):
            weight, above = rules.rule_weight[r], scratch.cell[rules.rule_head[r]]
            for s in range(columns):
                gradient[s] += above[s] * weight
            uses[r] += _sum_of_products(above, x, columns)


@njit_shared
def _sum_of_products(ours: Array, others: Array, columns: int) -> float:  # pragma: no cover
    """Return the dot product of two rows, as four interleaved sums."""
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
