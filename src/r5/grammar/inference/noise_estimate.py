"""Estimating how often the edges of questions are wrong, from the questions alone, whose answers nobody knows.

Rules make some paths likelier than others; the more wrong edges there are, the less so.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.order import first_largest
from r5.grammar.inference.noise_levels import expected_noise_rate
from r5.grammar.inference.scorer import GrammarScorer
from r5.paths.find import PathSet

__all__ = ["estimate_wrong_edges"]

_SHARES = (0.0, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4)
_MUCH = 2.0
"""So much likelier, in logarithms, must the paths be for another share of wrong edges than that of training."""


def estimate_wrong_edges(answering: GrammarScorer, found: PathSet) -> float:
    """The share of wrong edges under which the paths of these questions are the likeliest.

    That of training where no other makes them much likelier, as in a group, where every path is as likely as any other.
    """
    learned = expected_noise_rate(answering.learned)
    shares = [learned, *_SHARES]
    each = [_evidence(replace(answering, settings=replace(answering.settings, wrong_edges=n)), found) for n in shares]
    some = np.isfinite(each[0])  # without a path, or with relations that nobody knows, a question says nothing
    fits = [float(evidence[some].sum()) for evidence in each]
    best = first_largest(fits)
    return shares[best] if fits[best] > fits[0] + _MUCH else learned


def _evidence(answering: GrammarScorer, found: PathSet) -> FloatArray:
    """The log likelihood of the paths of each question, relative to chance."""
    return answering.answers(found).evidence
