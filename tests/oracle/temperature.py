"""First answers at many temperatures, one question after the other."""

from __future__ import annotations

from collections.abc import Sequence

from r5._util.kernels.elementary_kernels import exp, log


def first_share(candidates: Sequence[tuple[float, float, bool]], best: float, heat: float) -> tuple[float, float]:
    """The share of the best of those that stay, and that of all of these; of each the score, how many, and whether."""
    weights = [(count * float(exp((score - best) / heat)), stays) for score, count, stays in candidates]
    total = sum(weight for weight, stays in weights if stays)
    others = sum(weight for weight, stays in weights if not stays)
    return 1.0 / total, total / (total + others)


def fit(
    rows: Sequence[tuple[Sequence[float], Sequence[float], bool, float]], heat: int, rise: float, spread: float,
    width: float,
) -> float:  # fmt: skip
    """How likely what was right is; of each row what is said, what is left, whether it is right, and a share."""
    total, product = 0.0, 1.0
    for number, (log_probabilities, left, right, share) in enumerate(rows, start=1):
        at = min(max(heat + rise * share / width, 0.0), len(log_probabilities) - 1.001)
        below = int(at)
        part = at - below
        first = log_probabilities[below] * (1.0 - part) + log_probabilities[below + 1] * part
        rest = left[below] * (1.0 - part) + left[below + 1] * part
        kept = 1.0 - spread
        chance = kept * first * rest / max(1.0 - kept * (1.0 - rest), 1e-9)
        chance = min(max(chance, 1e-6), 1.0 - 1e-6)
        product *= chance if right else 1.0 - chance
        if number % 32 == 0 or number == len(rows):  # 32 small numbers have a product that is still a number
            total, product = total + float(log(product)), 1.0
    return total
