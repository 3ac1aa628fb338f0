"""suggest: the rules and mistakes, one of which would complete a derivation that is missing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from r5.grammar.charts import Array, Chart, SpanArrays

__all__ = ["ByHead", "suggest"]


class ByHead(NamedTuple):
    """Rules by head: those of h have the bodies `left[start[h]:start[h + 1]]`, `right[...]`."""

    start: Array  # [relations + 1]
    left: Array  # [rules]
    right: Array  # [rules]


@njit(cache=True, nogil=True)
def _append(store: Array, size: int, row: tuple[int, int, int]) -> Array:  # pragma: no cover
    if size == store.shape[0]:
        larger = np.empty((2 * size, 3), np.int32)
        larger[:size] = store
        store = larger
    store[size, 0], store[size, 1], store[size, 2] = row
    return store


@njit(cache=True, nogil=True)
def suggest(
    spans: SpanArrays, by_head: ByHead, chart: Chart, wanted: Array, most: int
) -> tuple[Array, Array]:  # pragma: no cover
    """Pass what is wanted at the roots down wherever the other part of a split is there already.

    `wanted` [spans, relations] says which relation would complete a derivation. Returns rows
    (head, left, right) of rules that would give a wanted relation from two parts that are there,
    and rows (true, observed, 0) of mistakes that would; at most `most` of each.
    """
    relations = wanted.shape[1]
    rules = np.empty((1024, 3), np.int32)
    mistakes = np.empty((1024, 3), np.int32)
    cells = chart.cells
    number_of_rules = 0
    number_of_mistakes = 0
    for span in range(spans.lengths.size - 1, -1, -1):
        token = spans.tokens[span]
        length = spans.lengths[span]
        for head in range(relations):
            if not wanted[span, head]:
                continue
            if length == 1:
                if head != spans.observed[token] and number_of_mistakes < most:
                    mistakes = _append(mistakes, number_of_mistakes, (head, spans.observed[token], 0))
                    number_of_mistakes += 1
                continue
            for size in range(1, length):
                left = spans.span_of[size - 1, token]
                right = spans.span_of[length - size - 1, token + size]
                for r in range(by_head.start[head], by_head.start[head + 1]):
                    a = by_head.left[r]
                    b = by_head.right[r]
                    if cells[left, a] > 0.0:
                        wanted[right, b] = wanted[right, b] or cells[right, b] == 0.0
                    if cells[right, b] > 0.0:
                        wanted[left, a] = wanted[left, a] or cells[left, a] == 0.0
                for m in range(chart.filled[left]):
                    for n in range(chart.filled[right]):
                        if number_of_rules < most:
                            rules = _append(
                                rules, number_of_rules, (head, chart.active[left, m], chart.active[right, n])
                            )
                            number_of_rules += 1
    return rules[:number_of_rules], mistakes[:number_of_mistakes]
