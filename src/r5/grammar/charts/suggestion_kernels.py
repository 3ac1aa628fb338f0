"""Suggestion of rules and confusions, one of which would complete a missing derivation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from r5._util.kernels.compilation import njit_entry, njit_private
from r5.grammar.charts.cell_kernels import Array, Chart, SpanArrays, clear_cell, expand_cell

__all__ = ["ByHead", "Wanted", "suggest"]


class ByHead(NamedTuple):
    """Rules by head: those of h have the bodies `left[start[h]:start[h + 1]]`, `right[...]`."""

    start: Array  # [relations + 1]
    left: Array  # [rules]
    right: Array  # [rules]


class Wanted(NamedTuple):
    """Linked list for each span of the relations that would complete a derivation there.

    The list of a span begins at `first`, -1 if it is empty; entries after `size` are unused.
    """

    first: Array  # [spans]
    following: Array  # [wanted]
    relation: Array  # [wanted]
    size: Array  # [1]


@njit_private
def _append(store: Array, size: int, key: int) -> Array:  # pragma: no cover
    if size == store.size:
        larger = np.empty(2 * size, np.int64)
        larger[:size] = store
        store = larger
    store[size] = key
    return store


@njit_private
def _want(wanted: Wanted, span: int, relation: int) -> Wanted:  # pragma: no cover
    size = wanted.size[0]
    following = _append(wanted.following, size, wanted.first[span])
    relations = _append(wanted.relation, size, relation)
    wanted.first[span] = size
    wanted.size[0] = size + 1
    return Wanted(wanted.first, following, relations, wanted.size)


@njit_private
def _heads(wanted: Wanted, span: int, heads: Array, known: Array) -> int:  # pragma: no cover
    """Write the distinct relations wanted at a span to `heads`; `known` is zero before and after."""
    count = 0
    n = wanted.first[span]
    while n >= 0:
        relation = wanted.relation[n]
        if not known[relation]:
            known[relation] = True
            heads[count] = relation
            count += 1
        n = wanted.following[n]
    for n in range(count):
        known[heads[n]] = False
    return count


@njit_private
def _pass_on(
    wanted: Wanted, by_head: ByHead, head: int, parts: tuple[int, int], there: tuple[Array, Array]
) -> Wanted:  # pragma: no cover
    """Want the other part of a rule's body where one part is there; `there` are the two parts' cells by relation."""
    left, right = parts
    for r in range(by_head.start[head], by_head.start[head + 1]):
        a = by_head.left[r]
        b = by_head.right[r]
        if there[0][a] > 0.0 and there[1][b] == 0.0:
            wanted = _want(wanted, right, b)
        if there[1][b] > 0.0 and there[0][a] == 0.0:
            wanted = _want(wanted, left, a)
    return wanted


@njit_entry
def suggest(
    spans: SpanArrays, by_head: ByHead, chart: Chart, roots: Array, labels: Array, most: int
) -> tuple[Array, Array]:  # pragma: no cover
    """Propagate the wanted relations from the roots down wherever the other part of a split is there.

    Args:
        spans: The spans of the chart.
        by_head: The known rules.
        chart: The filled chart.
        roots: Spans at which a derivation is missing.
        labels: Relation that would complete each.
        most: Maximum number of suggestions of each kind; some may be equal.

    Returns:
        Keys (left * relations + right) * relations + head of rules, and observed * relations + true of confusions.
    """
    relations = by_head.start.size - 1
    rules = np.empty(1024, np.int64)
    confusions = np.empty(1024, np.int64)
    new_rules = 0
    new_confusions = 0
    buffer = (np.zeros(relations), np.zeros(relations))
    heads, known = np.empty(relations, np.int64), np.zeros(relations, np.bool_)
    wanted = Wanted(
        np.full(spans.lengths.size, -1), np.empty(1024, np.int64), np.empty(1024, np.int64), np.zeros(1, np.int64)
    )
    for n in range(roots.size):
        wanted = _want(wanted, roots[n], labels[n])
    for span in range(spans.lengths.size - 1, -1, -1):
        token = spans.tokens[span]
        length = spans.lengths[span]
        count = _heads(wanted, span, heads, known)
        if length == 1:
            for place in range(count):
                head = heads[place]
                if head != spans.observed[token] and new_confusions < most:
                    confusions = _append(confusions, new_confusions, spans.observed[token] * relations + head)
                    new_confusions += 1
            continue
        for size in range(1, length if count > 0 else 1):
            left = spans.span_of[size - 1, token]
            right = spans.span_of[length - size - 1, token + size]
            there = (
                expand_cell(chart, left, chart.values, buffer[0]),
                expand_cell(chart, right, chart.values, buffer[1]),
            )
            for place in range(count):
                head = heads[place]
                wanted = _pass_on(wanted, by_head, head, (left, right), there)
                for m in range(chart.starts[left], chart.starts[left] + chart.filled[left]):
                    for n in range(chart.starts[right], chart.starts[right] + chart.filled[right]):
                        if new_rules < most:
                            body = chart.relations[m] * relations + chart.relations[n]
                            rules = _append(rules, new_rules, body * relations + head)
                            new_rules += 1
            clear_cell(chart, left, buffer[0])
            clear_cell(chart, right, buffer[1])
    return rules[:new_rules], confusions[:new_confusions]
