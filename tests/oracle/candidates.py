"""Slow twin of the candidate kernel: a softmax over all entities, from the scores of the plain ones."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence


def log_probabilities(scores: Sequence[float], known: Collection[int]) -> tuple[list[float], list[float]]:
    """Return the log-probability of each entity among all, and among those that are no known answer."""
    joint = _log_sum(scores)
    fresh = _log_sum([score for node, score in enumerate(scores) if node not in known])
    return [score - joint for score in scores], [score - fresh for score in scores]


def best(
    scores: Sequence[float], reached: Collection[int], known: Collection[int], top: int, least: float
) -> list[int]:
    """Return the best new candidates that are reached, of equals the one with the lowest number."""
    _, fresh = log_probabilities(scores, known)
    new = [node for node in sorted(reached) if node not in known and fresh[node] >= least]
    return sorted(new, key=lambda node: (-round(scores[node] * 2**30), node))[:top]


def _log_sum(values: Sequence[float]) -> float:
    highest = max(values)
    return highest + math.log(math.fsum(math.exp(value - highest) for value in values))
