"""Exclusions by comparison of every two relations, and the penalty of a score by its formula."""

from __future__ import annotations

import math
from collections.abc import Sequence

Facts = Sequence[tuple[int, int, int]]


def exclusions(facts: Facts, symmetric: Sequence[bool], share: float) -> list[tuple[int, int]]:
    """Return pairs of relations that never hold for the same pair and share entities on both sides.

    Args:
        facts: Head, relation, tail.
        symmetric: Whether each relation is symmetric.
        share: Minimum share of the first relation's entities that the second has.
    """
    both_ways = {*facts, *((t, r, h) for h, r, t in facts if symmetric[r])}
    pairs = [{(h, t) for h, other, t in both_ways if other == r} for r in range(len(symmetric))]

    def shares_entities(one: int, other: int, side: int) -> bool:
        own, others = ({pair[side] for pair in pairs[r]} for r in (one, other))
        return bool(own) and len(own & others) / len(own) >= share

    return [
        (one, other)
        for one in range(len(pairs))
        for other in range(len(pairs))
        if not pairs[one] & pairs[other] and shares_entities(one, other, 0) and shares_entities(one, other, 1)
    ]


def penalty(score: float, others: Sequence[float], log_odds: Sequence[float]) -> float:
    """Return log(1 + sum of odds * exp(other score - score)), summed exactly."""
    return math.log(math.fsum([1.0, *(math.exp(o + s - score) for s, o in zip(others, log_odds, strict=True))]))
