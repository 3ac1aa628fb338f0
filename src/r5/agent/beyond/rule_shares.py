"""Rule shares: the value of a derivation where the answer is not known.

The share of a rule is its score divided by the sum of the scores of all rules with its head. The value of a derivation
is the geometric mean of the shares of its rules. The paper's agent goes by visit counts alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import log
from r5.agent.settings import R5Settings

if TYPE_CHECKING:
    from r5.agent.memory.rule_memory import RuleMemory
    from r5.agent.state.states import Paths

__all__ = ["log_shares", "observed_scores"]

_MIN_SCORE = 0.01
"""Lower bound of a score in a share, so that no share is 0."""


def log_shares(memory: RuleMemory) -> NDArray[np.float64]:
    """Return the log share of each rule, [rules].

    The frequency of a relation as an edge (`memory.observed`) is part of the sum for its head: a relation that is
    nearly always observed is rarely derived.
    """
    size = len(memory)
    scores = np.maximum(memory.arrays.scores[:size], _MIN_SCORE)
    heads = memory.arrays.heads[:size]
    return log(scores / (np.bincount(heads, scores, len(memory.vocabulary)) + memory.observed)[heads])


def observed_scores(queries: Sequence[Paths], relations: int, settings: R5Settings) -> NDArray[np.float64]:
    """Return the frequency of each relation on the paths, as the score at which an equally frequent rule settles.

    Args:
        queries: Paths of each training query.
        relations: Number of relations, m + n.
        settings: v_0, v_T,pos and epsilon, which determine that score.

    Returns:
        Scores, [relations].
    """
    counts = np.zeros(relations)
    for paths in queries:
        for path in paths:
            np.add.at(counts, np.asarray(path), 1 / len(paths))
    scale = (settings.known_rule + settings.end_right) / max(settings.decay, 1e-6)
    return counts / max(len(queries), 1) * scale
