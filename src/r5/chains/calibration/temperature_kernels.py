"""Compiled kernels that try temperatures: what is said of first answers, and how likely that makes what was right."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from r5._util.kernels.compilation import njit_free
from r5._util.kernels.elementary_kernels import exp_of, log_of

__all__ = ["first_shares", "fit_grid"]

Array = NDArray[Any]
TOGETHER = 32
"""Of so many chances, each at least a millionth, the logarithm is taken once: a product takes far less time."""


@njit_free
def first_shares(
    scores: Array,
    counts: Array,
    stays: Array,
    starts: Array,
    first: Array,
    temperatures: Array,
    begin: int,
    end: int,
    log_probabilities: Array,
    left: Array,
) -> None:
    """The share of each question's first candidate that stays at each temperature, [questions, temperatures].

    Also what share those that stay have together, `left`; of the questions from `begin` to `end`.
    """
    for query in range(begin, end):
        best = scores[first[query]]
        for heat in range(temperatures.size):
            total, others = 0.0, 0.0
            for place in range(starts[query], starts[query + 1]):
                weight = counts[place] * exp_of((scores[place] - best) / temperatures[heat])
                if stays[place]:
                    total += weight
                else:
                    others += weight
            log_probabilities[query, heat] = 1.0 / total
            left[query, heat] = total / (total + others)


@njit_free
def fit_grid(
    log_probabilities: Array,
    left: Array,
    right: Array,
    shares: Array,
    width: float,
    rise: float,
    spreads: Array,
    fits: Array,
    products: Array,
) -> None:
    """Compute the log-likelihood of correct first answers for every temperature and spread, [temperatures, spreads].

    The log-temperature of a query rises with the share of its first answer. Columns of `log_probabilities` and `left`
    are `width` apart. The spread part goes to one of many candidates, hardly ever to the first one. `products`,
    [spreads], is scratch.
    """
    temperatures = log_probabilities.shape[1]
    for heat in range(temperatures):
        for spread in range(spreads.size):
            fits[heat, spread], products[spread] = 0.0, 1.0
        for row in range(right.size):
            at = min(max(heat + rise * shares[row] / width, 0.0), temperatures - 1.001)
            below = int(at)
            part = at - below
            first = log_probabilities[row, below] * (1.0 - part) + log_probabilities[row, below + 1] * part
            rest = left[row, below] * (1.0 - part) + left[row, below + 1] * part
            for spread in range(spreads.size):
                kept = 1.0 - spreads[spread]
                chance = kept * first * rest / max(1.0 - kept * (1.0 - rest), 1e-9)
                chance = min(max(chance, 1e-6), 1.0 - 1e-6)
                products[spread] *= chance if right[row] else 1.0 - chance
            if (row + 1) % TOGETHER == 0 or row + 1 == right.size:
                for spread in range(spreads.size):
                    fits[heat, spread] += log_of(products[spread])
                    products[spread] = 1.0
