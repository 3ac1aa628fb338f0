"""Ranks of an answer for several weights of the evidence, against sorted scores."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.chains.tuning.exclusion_kernels import rank_with_weights
from tests.oracle import chains as oracle

ENTITIES = 8
VALUES = st.lists(st.integers(0, 3), min_size=ENTITIES, max_size=ENTITIES)


@settings(deadline=None, max_examples=60)
@given(st.tuples(VALUES, VALUES, VALUES), st.integers(0, ENTITIES - 1), st.sets(st.integers(0, ENTITIES - 1)))
def test_ranks_are_those_of_the_weighted_sums(
    parts: tuple[list[int], list[int], list[int]], answer: int, known: set[int]
) -> None:
    weights = np.array([(0.0, 0.0), (5.0, 0.0), (0.5, 2.0)])
    flags, ranks = np.zeros(ENTITIES, bool), np.full((len(weights), 2), -1, np.int64)
    rank_with_weights(np.array(parts, float), weights, answer, np.array(sorted(known), np.int64), flags, ranks)
    assert not flags.any()
    for rank, (sources, answers) in zip(ranks.tolist(), weights.tolist(), strict=True):
        sums = [one + sources * two + answers * three for one, two, three in zip(*parts, strict=True)]
        assert tuple(rank) == oracle.places(sums, answer, known)
