"""How much of a relation each rule explains: what a derivation is worth where the answer is not known.

The paper's agent answers by visits alone. Here an end is judged by the rules that led to it: a rule's share is its
score among the scores of all rules with its head, and a derivation's worth the geometric mean of the shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import log
from r5.agent.settings import R5Settings

if TYPE_CHECKING:
    from r5.agent.memory import RuleMemory
    from r5.agent.state import Paths

__all__ = ["log_shares", "observed"]

_LEAST_SCORE = 0.01
"""Counts for a rule whose score is lower, so that no share is nothing."""


def log_shares(memory: RuleMemory) -> NDArray[np.float64]:
    """For each rule the logarithm of its share of its head, [rules].

    Among the rules with one head its being observed as an edge counts too (`memory.observed`): a relation that is
    nearly always observed is rarely derived.
    """
    size = len(memory)
    scores = np.maximum(memory.arrays.scores[:size], _LEAST_SCORE)
    heads = memory.arrays.heads[:size]
    return log(scores / (np.bincount(heads, scores, len(memory.vocabulary)) + memory.observed)[heads])


def observed(queries: Sequence[Paths], relations: int, settings: R5Settings) -> NDArray[np.float64]:
    """How often each relation is on a path, in units of the score that a rule used as often settles at."""
    counts = np.zeros(relations)
    for paths in queries:
        for path in paths:
            np.add.at(counts, np.asarray(path), 1 / len(paths))
    scale = (settings.known_rule + settings.end_right) / max(settings.decay, 1e-6)
    return counts / max(len(queries), 1) * scale
