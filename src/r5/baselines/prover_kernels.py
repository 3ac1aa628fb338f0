"""The (max, min) chart of the prover: the best proof of each goal by each stretch of a path."""

from __future__ import annotations

from typing import Any

from r5._util.kernels.compilation import int64, njit_free, njit_inner

__all__ = ["join", "join_values"]


@njit_free
def join(
    values: Any,
    picks: Any,
    below: Any,
    below_picks: Any,
    rows: Any,
    units: int,
    left: Any,
    right: Any,
    fits: Any,
    fits_at: int,
    best: Any,
    worst: Any,
) -> None:
    """Fill rows of a level's table by the best proofs with two sub-goals, whose tables are those of the level below.

    A proof is as good as the worst match in it; `picks` says which match that is. `values`, `picks`: [spans, goals];
    `left`, `right`: [spans behind the `units`, splits], one with fewer splits than others has its first again. `fits`:
    [goals, modules], where all goals have the same sub-goals; its numbers are the matches from `fits_at` on. Without
    any row there, each goal has sub-goals of its own. `best`, `worst`: [modules], room to work in.
    """
    modules = best.size
    shared = fits.shape[0] > 0
    for place in range(rows.size):
        row = rows[place]
        for goal in range(values.shape[1]):
            first = 0 if shared else 2 * goal * modules
            # What is the same for all goals is worked out for the first.
            if goal == 0 or not shared:
                _best_splits(below, below_picks, left[row - units], right[row - units], first, best, worst)
            top, pick = best[0], worst[0]
            if shared and fits[goal, 0] < top:
                top, pick = fits[goal, 0], int64(fits_at + goal * modules)
            for module in range(1, modules):
                value = best[module]
                if value > top:
                    if shared and fits[goal, module] < value:
                        if fits[goal, module] > top:
                            top, pick = fits[goal, module], int64(fits_at + goal * modules + module)
                    else:
                        top, pick = value, worst[module]
            values[row, goal], picks[row, goal] = top, pick


@njit_inner
def _best_splits(below: Any, below_picks: Any, left: Any, right: Any, first: int, best: Any, worst: Any) -> None:
    """For each module the best split of one span between its two sub-goals, which are numbered from `first` on."""
    for module in range(best.size):
        child = first + 2 * module
        for split in range(left.size):
            if split > 0 and left[split] == left[0]:
                break
            before, behind = left[split], right[split]
            value, match = below[before, child], below_picks[before, child]
            if below[behind, child + 1] < value:
                value, match = below[behind, child + 1], below_picks[behind, child + 1]
            if split == 0 or value > best[module]:
                best[module], worst[module] = value, match


@njit_free
def join_values(values: Any, below: Any, rows: Any, units: int, left: Any, right: Any, fits: Any, best: Any) -> None:
    """The values of `join` alone, for answers: what cannot be better than the best so far is not looked at."""
    modules = best.size
    shared = fits.shape[0] > 0
    for place in range(rows.size):
        row = rows[place]
        before, behind = left[row - units], right[row - units]
        if shared:
            for module in range(modules):
                best[module] = _best_value(below, before, behind, 2 * module, below.dtype.type(0))
        for goal in range(values.shape[1]):
            top = below.dtype.type(0)
            for module in range(modules):
                if shared:
                    top = max(top, min(best[module], fits[goal, module]))
                else:
                    top = _best_value(below, before, behind, 2 * (goal * modules + module), top)
            values[row, goal] = top


@njit_inner
def _best_value(below: Any, left: Any, right: Any, child: int, top: Any) -> Any:
    """The best split of one span between two sub-goals, or `top` where none is better."""
    for split in range(left.size):
        if split > 0 and left[split] == left[0]:
            break
        value = below[left[split], child]
        if value > top:
            top = max(top, min(value, below[right[split], child + 1]))
    return top
