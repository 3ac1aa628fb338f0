"""Joint probability of each path and each answer."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray
from r5._util.kernels.elementary_kernels import LOG_2, log
from r5._util.ragged import Ragged
from r5._util.runtime.budget import Budget
from r5._util.runtime.memory import check_memory
from r5.errors import LongWorkWarning
from r5.grammar.charts.cell_kernels import by_relation
from r5.grammar.charts.filling import inside
from r5.grammar.charts.spans import Spans
from r5.grammar.model import Grammar

__all__ = ["Scores", "chart_parts", "normalize_rows", "score"]

_CELL_ENTRIES = 8_000_000
"""Maximum number of chart entries at once."""
_BYTES_PER_CELL, _BYTES_PER_ENTRY = 60, 24
_PRODUCTS_PER_SECOND = 1e9
"""Approximate number of products per second."""
_WARNING_SECONDS = 20.0
"""Seconds from which on a warning precedes the work."""


@dataclass(frozen=True, eq=False)
class Scores:
    """P(answer, path) of each path, as a factor and a power of two."""

    joint: FloatArray  # [paths, relations]
    exponents: NDArray[np.int64]  # [paths]

    def log_ratio_to_chance(self, model: Grammar, paths: Ragged) -> FloatArray:
        """Return the log ratio of each path's probability to its relation frequencies; -inf if impossible."""
        chance = np.concatenate([[0.0], np.cumsum(model.log_frequency[paths.values])])
        by_chance = chance[paths.offsets[1:]] - chance[paths.offsets[:-1]]
        better: FloatArray = log(self.joint.sum(axis=1)) + self.exponents * LOG_2 - by_chance
        return better


def score(model: Grammar, paths: Ragged, budget: Budget | None) -> Scores:
    """Return the scores of paths, in parts whose charts fit in memory."""
    joint, exponents = np.zeros((len(paths), model.relations)), np.zeros(len(paths), dtype=np.int64)
    for rows in chart_parts(model, paths):
        spans = Spans.of(paths.take(rows), model.relations)
        chart = inside(spans.arrays, model.arrays, budget)
        joint[rows] = by_relation(chart, chart.values, spans.roots, model.relations) * model.prior
        exponents[rows] = chart.exponents[spans.roots]
    return Scores(joint, exponents)


def normalize_rows(values: FloatArray) -> FloatArray:
    """Return each row divided by its sum; rows of zeros stay zero."""
    total = values.sum(axis=1, keepdims=True)
    found: FloatArray = np.divide(values, total, out=np.zeros_like(values), where=total > 0.0)
    return found


def chart_parts(model: Grammar, paths: Ragged, charts: int = 2) -> Iterator[NDArray[np.int64]]:
    """Yield rows of paths whose charts fit in memory; raise or warn before excessive work.

    Args:
        model: The grammar.
        paths: The paths.
        charts: Approximate number of charts of each path.
    """
    sizes = np.diff(paths.offsets)
    cells = sizes * (sizes + 1) // 2
    longest = int(sizes.max(initial=0))
    needed = float(cells.max(initial=0)) * (_BYTES_PER_CELL + _BYTES_PER_ENTRY * model.relations)
    check_memory(needed, f"answering over a path of {longest:,} relations", "ask about entities that are nearer")
    seconds = float((sizes.astype(np.float64) ** 3).sum()) * model.relations**2 / 6 / _PRODUCTS_PER_SECOND
    if seconds > _WARNING_SECONDS:
        message = f"answering over paths of up to {longest:,} relations takes some {charts * seconds:,.0f} s"
        warnings.warn(message, LongWorkWarning, stacklevel=4)
    numbers = np.cumsum(cells * model.relations) // _CELL_ENTRIES
    for piece in np.unique(numbers):
        yield np.flatnonzero(numbers == piece)
