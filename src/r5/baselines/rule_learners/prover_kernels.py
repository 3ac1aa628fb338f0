"""Kernels of the (max, min) chart of the prover."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner

__all__ = ["ModuleScores", "SpanSplits", "Table", "fill_scores", "fill_table"]


class Table(NamedTuple):
    """Scores of the goals of one level by spans; rows that are not asked for are zero."""

    scores: NDArray[np.float32]
    """Score of the best proof of each goal by each span, [spans, goals]."""
    weakest: NDArray[np.int64]
    """Weakest match in that proof, as an index of all matches, [spans, goals]; no rows without a gradient."""


class SpanSplits(NamedTuple):
    """Spans to fill and their splits."""

    rows: NDArray[np.int64]
    """Spans to fill, [rows]."""
    units: int
    """Number of spans of length one, which come first."""
    left: NDArray[np.int64]
    """Left part of each split, [spans after the units, splits]; the first split pads the row."""
    right: NDArray[np.int64]
    """Right part of each split, [spans after the units, splits]."""


class ModuleScores(NamedTuple):
    """Scores of the modules for each goal."""

    scores: NDArray[np.float32]
    """[goals, modules] where all goals share their sub-goals; no rows where each goal has sub-goals of its own."""
    offset: int
    """Index of the first of these scores among all matches."""


@njit_free
def fill_table(table: Any, below: Any, splits: Any, modules: Any, best: Any, weakest: Any) -> None:
    """Fill rows of the table of a level by the best proofs with two sub-goals.

    The score of a proof is that of its weakest match, and `weakest` has the index of that match.

    Args:
        table: `Table` of the level, filled in place.
        below: `Table` of the level below, that of the sub-goals.
        splits: `SpanSplits`.
        modules: `ModuleScores`.
        best: Scratch array of scores, [modules].
        weakest: Scratch array of matches, [modules].

    """
    count = best.size
    shared = modules.scores.shape[0] > 0
    for number in range(splits.rows.size):
        row = splits.rows[number]
        left, right = splits.left[row - splits.units], splits.right[row - splits.units]
        for goal in range(table.scores.shape[1]):
            # Sub-goals that all goals share are evaluated once, for the first goal.
            if goal == 0 or not shared:
                _best_splits(below, left, right, 0 if shared else 2 * goal * count, best, weakest)
            top, match = best[0], weakest[0]
            if shared and modules.scores[goal, 0] < top:
                top, match = modules.scores[goal, 0], int64(modules.offset + goal * count)
            for module in range(1, count):
                score = best[module]
                if score > top:
                    if shared and modules.scores[goal, module] < score:
                        if modules.scores[goal, module] > top:
                            top = modules.scores[goal, module]
                            match = int64(modules.offset + goal * count + module)
                    else:
                        top, match = score, weakest[module]
            table.scores[row, goal], table.weakest[row, goal] = top, match


@njit_inner
def _best_splits(below: Any, left: Any, right: Any, first: int, best: Any, weakest: Any) -> None:
    """Find the best split of a span for each module, whose sub-goals are numbered from `first` on."""
    for module in range(best.size):
        child = first + 2 * module
        for split in range(left.size):
            if split > 0 and left[split] == left[0]:
                break
            score, match = below.scores[left[split], child], below.weakest[left[split], child]
            if below.scores[right[split], child + 1] < score:
                score, match = below.scores[right[split], child + 1], below.weakest[right[split], child + 1]
            if split == 0 or score > best[module]:
                best[module], weakest[module] = score, match


@njit_free
def fill_scores(scores: Any, below: Any, splits: Any, modules: Any, best: Any) -> None:
    """Fill rows of the scores of a level as `fill_table` does, without the weakest matches.

    Args:
        scores: Scores of the level, filled in place, [spans, goals].
        below: Scores of the level below, [spans, sub-goals].
        splits: `SpanSplits`.
        modules: Scores of `ModuleScores`.
        best: Scratch array, [modules].

    """
    count = best.size
    shared = modules.shape[0] > 0
    for number in range(splits.rows.size):
        row = splits.rows[number]
        left, right = splits.left[row - splits.units], splits.right[row - splits.units]
        if shared:
            for module in range(count):
                best[module] = _best_score(below, left, right, 2 * module, below.dtype.type(0))
        for goal in range(scores.shape[1]):
            top = below.dtype.type(0)
            for module in range(count):
                if shared:
                    top = max(top, min(best[module], modules[goal, module]))
                else:
                    top = _best_score(below, left, right, 2 * (goal * count + module), top)
            scores[row, goal] = top


@njit_inner
def _best_score(below: Any, left: Any, right: Any, child: int, top: Any) -> Any:
    """Return the score of the best split of a span between two sub-goals, or `top` if none is better."""
    for split in range(left.size):
        if split > 0 and left[split] == left[0]:
            break
        score = below[left[split], child]
        if score > top:
            top = max(top, min(score, below[right[split], child + 1]))
    return top
