"""Compiled kernel that ranks an answer for several weights of the evidence of similar entities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free
from r5.chains.tuning.exclusion_kernels import GRID

__all__ = ["rank_with_weights"]

Array = NDArray[Any]


@njit_free
def rank_with_weights(parts: Array, weights: Array, answer: int, known: Array, flags: Array, ranks: Array) -> None:
    """Count the candidates above an answer and tied with it, for each pair of weights.

    Args:
        parts: Scores without similar entities, and both parts of the evidence at a weight of 1, [3, entities].
        weights: Weights of both parts, [trials, 2].
        answer: The answer.
        known: Known answers, which are not counted.
        flags: Scratch, all false before and after, [entities].
        ranks: Output, [trials, 2].
    """
    for i in range(known.size):
        flags[known[i]] = True
    for trial in range(weights.shape[0]):
        sources, answers = weights[trial, 0], weights[trial, 1]
        own = np.rint((parts[0, answer] + sources * parts[1, answer] + answers * parts[2, answer]) * GRID)
        above, tied = int64(0), int64(0)
        for entity in range(parts.shape[1]):
            if entity == answer or flags[entity]:
                continue
            value = np.rint((parts[0, entity] + sources * parts[1, entity] + answers * parts[2, entity]) * GRID)
            above += value > own
            tied += value == own
        ranks[trial, 0], ranks[trial, 1] = above, tied
    for i in range(known.size):
        flags[known[i]] = False
