"""Estimate of the share of wrong edges of unlabelled queries.

Rules make some paths more likely than others, the less so the more edges are wrong.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.ordering import argmax
from r5.grammar.inference.noise_level import expected_noise_rate
from r5.grammar.inference.scorer import GrammarScorer
from r5.paths.search import PathSet

__all__ = ["estimate_wrong_edges"]

_SHARES = (0.0, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4)
_MUCH = 2.0
"""Minimum gain in log likelihood of another share than that of training."""


def estimate_wrong_edges(scorer: GrammarScorer, found: PathSet) -> float:
    """Return the share of wrong edges under which the paths of these queries are most likely.

    It is the share of training unless another one is clearly more likely; in a group all paths are equally likely.
    """
    learned = expected_noise_rate(scorer.learned)
    shares = [learned, *_SHARES]
    each = [_evidence(replace(scorer, settings=replace(scorer.settings, wrong_edges=n)), found) for n in shares]
    some = np.isfinite(each[0])  # queries without a path say nothing
    fits = [float(evidence[some].sum()) for evidence in each]
    best = argmax(fits)
    return shares[best] if fits[best] > fits[0] + _MUCH else learned


def _evidence(scorer: GrammarScorer, found: PathSet) -> FloatArray:
    """Return the log evidence ratio of each query."""
    return scorer.answers(found).evidence
