"""Probabilities of first answers and their likelihood, one query at a time."""

from __future__ import annotations

from collections.abc import Sequence

from r5._util.kernels.elementary_kernels import exp, log


def first_probabilities(
    candidates: Sequence[tuple[float, float, bool]], best: float, temperature: float
) -> tuple[float, float]:
    """Return the probability of the best eligible candidate among those eligible, and of all those eligible.

    Args:
        candidates: Score, number of entities, and whether it is eligible.
        best: Score of the best eligible candidate.
        temperature: The temperature.
    """
    weights = [(count * float(exp((score - best) / temperature)), eligible) for score, count, eligible in candidates]
    total = others = 0.0  # `sum` compensates for rounding from Python 3.12 on
    for weight, eligible in weights:
        total += weight if eligible else 0.0
        others += 0.0 if eligible else weight
    return 1.0 / total, total / (total + others)


def log_likelihood(
    rows: Sequence[tuple[Sequence[float], Sequence[float], bool, float]],
    temperature: int,
    *,
    rise: float,
    spread: float,
    width: float,
) -> float:
    """Return the log-likelihood of correct first answers.

    Args:
        rows: Of each query both results of `first_probabilities` at each temperature, whether the first answer is
            correct, and its share.
        temperature: Column of the temperature.
        rise: Rise of the log-temperature with the share.
        spread: Probability that is spread over all candidates.
        width: Difference of log-temperature between two columns.
    """
    total, product = 0.0, 1.0
    for number, (firsts, rests, correct, share) in enumerate(rows, start=1):
        at = min(max(temperature + rise * share / width, 0.0), len(firsts) - 1.001)
        below = int(at)
        part = at - below
        first = firsts[below] * (1.0 - part) + firsts[below + 1] * part
        rest = rests[below] * (1.0 - part) + rests[below + 1] * part
        kept = 1.0 - spread
        chance = kept * first * rest / max(1.0 - kept * (1.0 - rest), 1e-9)
        chance = min(max(chance, 1e-6), 1.0 - 1e-6)
        product *= chance if correct else 1.0 - chance
        if number % 32 == 0 or number == len(rows):  # a product of 32 probabilities does not underflow
            total, product = total + float(log(product)), 1.0
    return total
