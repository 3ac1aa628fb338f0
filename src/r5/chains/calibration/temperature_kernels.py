"""Compiled kernels of the temperature: probabilities of first answers, and the likelihood of correct ones."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from r5._util.kernels.compilation import njit_free
from r5._util.kernels.elementary_kernels import exp_of, log_of

__all__ = ["FirstProbabilities", "QueryCandidates", "first_probabilities", "fit_grid"]

Array = NDArray[Any]
FACTORS = 32
"""Probabilities, each at least 1e-6, that are multiplied before a logarithm is taken, which is much slower."""


class QueryCandidates(NamedTuple):
    """Candidates of queries, one query after the other."""

    scores: Array  # [candidates]
    counts: Array  # [candidates], number of entities that each stands for
    eligible: Array  # [candidates], whether each may be the first answer
    starts: Array  # [queries + 1], start of each query, and the end of the last
    first: Array  # [queries], best eligible candidate


class FirstProbabilities(NamedTuple):
    """Probabilities of each query at each temperature."""

    first: Array  # [queries, temperatures], of the first answer among the eligible candidates
    eligible: Array  # [queries, temperatures], of all eligible candidates among all candidates


@njit_free
def first_probabilities(
    candidates: QueryCandidates, temperatures: Array, begin: int, end: int, result: FirstProbabilities
) -> None:
    """Compute the probability of each query's first eligible candidate at each temperature.

    Args:
        candidates: Candidates of the queries.
        temperatures: Temperatures, [temperatures].
        begin: First query.
        end: End of the queries.
        result: Probabilities, of which the rows from `begin` to `end` are written.
    """
    scores, counts, eligible = candidates.scores, candidates.counts, candidates.eligible
    for query in range(begin, end):
        best = scores[candidates.first[query]]
        for column in range(temperatures.size):
            total, others = 0.0, 0.0
            for place in range(candidates.starts[query], candidates.starts[query + 1]):
                weight = counts[place] * exp_of((scores[place] - best) / temperatures[column])
                if eligible[place]:
                    total += weight
                else:
                    others += weight
            result.first[query, column] = 1.0 / total
            result.eligible[query, column] = total / (total + others)


@njit_free
def fit_grid(
    probabilities: FirstProbabilities,
    correct: Array,
    shares: Array,
    width: float,
    rise: float,
    spreads: Array,
    fits: Array,
    products: Array,
) -> None:
    """Compute the log-likelihood of correct first answers for every temperature and spread.

    The log-temperature of a query rises with the share of its first answer; probabilities between two columns are
    interpolated. The spread part goes to one of many candidates, hardly ever to the first one.

    Args:
        probabilities: Probabilities of the queries at each temperature.
        correct: Whether the first answer is correct, [queries].
        shares: Probability of the first answer at temperature 1, [queries].
        width: Difference of log-temperature between two columns.
        rise: Rise of the log-temperature with the share.
        spreads: Spreads to try, [spreads].
        fits: The result, [temperatures, spreads].
        products: Scratch, [spreads].
    """
    temperatures = probabilities.first.shape[1]
    for column in range(temperatures):
        for spread in range(spreads.size):
            fits[column, spread], products[spread] = 0.0, 1.0
        for row in range(correct.size):
            at = min(max(column + rise * shares[row] / width, 0.0), temperatures - 1.001)
            below = int(at)
            part = at - below
            first = probabilities.first[row, below] * (1.0 - part) + probabilities.first[row, below + 1] * part
            rest = probabilities.eligible[row, below] * (1.0 - part) + probabilities.eligible[row, below + 1] * part
            for spread in range(spreads.size):
                kept = 1.0 - spreads[spread]
                chance = kept * first * rest / max(1.0 - kept * (1.0 - rest), 1e-9)
                chance = min(max(chance, 1e-6), 1.0 - 1e-6)
                products[spread] *= chance if correct[row] else 1.0 - chance
            if (row + 1) % FACTORS == 0 or row + 1 == correct.size:
                for spread in range(spreads.size):
                    fits[column, spread] += log_of(products[spread])
                    products[spread] = 1.0
