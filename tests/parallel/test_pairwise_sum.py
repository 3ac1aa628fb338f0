"""PairwiseSum: the rounding does not depend on the order of the parts."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from r5.parallel.pairwise_sum import PairwiseSum


def by_hand(parts: list[float]) -> float:
    """Return the pairwise sum, written down directly."""
    while len(parts) > 1:
        parts = [sum(parts[place : place + 2]) for place in range(0, len(parts), 2)]
    return parts[0]


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=70), st.integers(1, 9), st.randoms(use_true_random=False))
def test_the_sum_does_not_depend_on_workers_and_order(parts: list[float], workers: int, chance: random.Random) -> None:
    places = list(range(len(parts)))
    chance.shuffle(places)
    each = [PairwiseSum[float](len(parts)) for _ in range(workers)]
    for place in places:
        each[place * workers // len(parts)].add((0, place), parts[place])
    chance.shuffle(each)
    joined = PairwiseSum[float](len(parts))
    for one in each:
        assert len(one.blocks) <= 2 * len(parts).bit_length()
        joined.join(one.blocks)
    assert joined.total == by_hand([part + 0.0 for part in parts])
