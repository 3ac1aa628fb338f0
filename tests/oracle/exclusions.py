"""Rivals by looking at every two relations, and what a score gives way as the formula says it."""

from __future__ import annotations

import math
from collections.abc import Sequence

Facts = Sequence[tuple[int, int, int]]


def exclusions(facts: Facts, symmetric: Sequence[bool], share: float) -> list[tuple[int, int]]:
    """Each relation with those that never hold between the same two, and share its entities on both sides."""
    both_ways = {*facts, *((t, r, h) for h, r, t in facts if symmetric[r])}
    pairs = [{(h, t) for h, other, t in both_ways if other == r} for r in range(len(symmetric))]

    def near(one: int, other: int, side: int) -> bool:
        own, others = ({pair[side] for pair in pairs[r]} for r in (one, other))
        return bool(own) and len(own & others) / len(own) >= share

    return [
        (one, other)
        for one in range(len(pairs))
        for other in range(len(pairs))
        if not pairs[one] & pairs[other] and near(one, other, 0) and near(one, other, 1)
    ]


def less(score: float, others: Sequence[float], log_odds: Sequence[float]) -> float:
    """log(1 + sum of odds * exp(rival's score - score)), by a library that sums exactly."""
    return math.log(math.fsum([1.0, *(math.exp(o + s - score) for s, o in zip(others, log_odds, strict=True))]))
