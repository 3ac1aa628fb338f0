"""Extrapolation to paths longer than any training path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.kernels.elementary_kernels import LOG_2, exp, log
from r5._util.ragged import Ragged
from r5._util.runtime.budget import Budget
from r5.grammar.inference.scoring import Scores, normalize_rows, score
from r5.grammar.model import Grammar

__all__ = ["REACH", "TrainingReach", "extrapolate"]

REACH = 3
"""Multiple of the training length up to which the odds of answers with a confusion grow."""
_MAX_EXPONENT = 700.0
"""Approximate maximum of the exponential's argument."""


@dataclass(frozen=True, eq=False)
class TrainingReach:
    """Length and reliability of the training paths."""

    longest: int
    """Length of the longest training path."""
    right: FloatArray  # [relations], expected share of correct edges among those observed as it


def extrapolate(
    model: Grammar, reach: TrainingReach, paths: Ragged, scores: Scores, budget: Budget | None
) -> FloatArray:
    """Return the share of each answer over each path, [paths, relations].

    The rewrite probabilities come from short paths. Along a long one small errors multiply until they outweigh a
    confusion for which no edge gives evidence. On paths longer than the training paths, the answers without a confusion
    keep at least the probability that all edges are correct; beyond `REACH` times the training length the odds of the
    others stop growing.
    """
    shares = normalize_rows(scores.joint)
    long = np.flatnonzero(np.diff(paths.offsets) > reach.longest)
    if not long.size:
        return shares
    part = paths.take(long)
    power = np.minimum(REACH * reach.longest / np.diff(part.offsets), 1.0)
    noiseless = score(model.noiseless, part, budget)
    # An unseen relation is a confusion.
    possible = _log_product((model.noiseless.confusion > 0.0).astype(np.float64), part)
    steps = (noiseless.exponents - scores.exponents[long]) * LOG_2 + possible
    # The exponent of an empty cell is meaningless.
    lower = np.where(noiseless.joint.any(axis=1), exp(np.minimum(steps, _MAX_EXPONENT)), 0.0)
    correct = exp(_log_product(reach.right, part))
    shares[long] = _mix_with_noiseless(scores.joint[long], noiseless.joint * lower[:, None], correct, power)
    return shares


def _log_product(values: FloatArray, paths: Ragged) -> FloatArray:
    """Return the log of the product of values along each path; log 0 with an unseen relation."""
    total: FloatArray = np.add.reduceat(log(np.append(values, 0.0))[paths.values], paths.offsets[:-1])
    return total


def _mix_with_noiseless(joint: FloatArray, noiseless: FloatArray, right: FloatArray, reach: FloatArray) -> FloatArray:
    """Return the share of each answer over long paths, from the joint probabilities with and without confusions.

    Args:
        joint: P(answer, path), [paths, relations].
        noiseless: The same without confusions.
        right: Probability that a path has no confusion, [paths].
        reach: Exponent of the odds of the other answers, [paths].
    """
    odds = exp(log(normalize_rows(np.maximum(joint - noiseless, 0.0))) * reach[:, None])
    least = np.minimum(noiseless.sum(axis=1) / np.maximum(joint.sum(axis=1), np.finfo(float).tiny), 1.0)
    share = np.where(noiseless.any(axis=1), np.maximum(least, right), 0.0)[:, None]
    return share * normalize_rows(noiseless) + (1.0 - share) * normalize_rows(odds)
