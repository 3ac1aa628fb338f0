"""The (max, min) chart of the prover: the best proof of each goal by each stretch of a path."""

from __future__ import annotations

from typing import Any

from r5._util.kernels import njit_free

__all__ = ["join"]


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
    modules: int,
) -> None:
    """Fill rows of a level's table by the best proofs with two sub-goals, whose tables are those of the level below.

    A proof is as good as the worst match in it; `picks` says which match that is. `values`, `picks`: [spans, goals];
    `left`, `right`: [spans behind the `units`, splits], one with fewer splits than others has its first again. `fits`:
    [goals, modules], where all goals have the same sub-goals; its numbers are the matches from `fits_at` on. Without
    any row there, each goal has sub-goals of its own.
    """
    shared = fits.shape[0] > 0
    for place in range(rows.size):
        row = rows[place]
        for goal in range(values.shape[1]):
            pick, best = -1, values[row, goal]
            first = 0 if shared else 2 * goal * modules
            for split in range(left.shape[1]):
                before, behind = left[row - units, split], right[row - units, split]
                if split > 0 and before == left[row - units, 0]:
                    break
                for module in range(modules):
                    child = first + 2 * module
                    value, worst = below[before, child], below_picks[before, child]
                    if below[behind, child + 1] < value:
                        value, worst = below[behind, child + 1], below_picks[behind, child + 1]
                    if shared and fits[goal, module] < value:
                        value, worst = fits[goal, module], fits_at + goal * modules + module
                    if pick < 0 or value > best:
                        pick, best = worst, value
            values[row, goal], picks[row, goal] = best, pick
