"""Extrapolation to paths longer than any training path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.budget import Budget
from r5._util.elementary_kernels import LOG_2, exp, log
from r5._util.ragged import Ragged
from r5.grammar.inference.scoring import Scores, normalize_rows, score
from r5.grammar.model import Grammar

__all__ = ["REACH", "TrainingReach", "extrapolate"]

REACH = 3
"""Multiple of the training length up to which the odds of answers with a confusion grow."""
_MOST = 700.0
"""Approximate maximum of the exponential's argument."""


@dataclass(frozen=True, eq=False)
class TrainingReach:
    """Length and reliability of the training paths."""

    longest: int
    """Length of the longest training path."""
    right: FloatArray  # [relations], how often an edge that shows a relation was taken to be just that


def extrapolate(
    models: Sequence[Grammar],
    trusts: Sequence[TrainingReach],
    paths: Ragged,
    scores: Sequence[Scores],
    budget: Budget | None,
) -> list[FloatArray]:
    """The share of each answer over each path, [paths, relations], under models that differ only in their confusions.

    How often each relation becomes which pairs was learned from short paths. Along a long one small differences in it
    multiply, until they outweigh a mistake that none of the edges shows. So the answers without a mistake
    keep at least the share that all edges are right with, and the odds of the others grow no further. The scores are
    those of paths that are asked about (`clarity.py`), and so is what no mistake is needed for.
    """
    each = [normalize_rows(one.joint) for one in scores]
    long = np.flatnonzero(np.diff(paths.offsets) > trusts[0].longest)
    if not long.size:
        return each
    part = paths.take(long)
    reach = np.minimum(REACH * trusts[0].longest / np.diff(part.offsets), 1.0)
    plain = models[0].noiseless
    (faultless,) = score([plain], part, budget)
    for model, trust, one, share in zip(models, trusts, scores, each, strict=True):
        joint, exponents = one.joint[long], one.exponents[long]
        steps = (faultless.exponents - exponents) * LOG_2 + _all_as_shown(model.noiseless, plain, part)
        # Without a derivation the exponent says nothing, and must not make much of zeros.
        lower = np.where(faultless.joint.any(axis=1), exp(np.minimum(steps, _MOST)), 0.0)
        right = exp(_along(trust.right, part))
        share[long] = _with_care(joint, faultless.joint * lower[:, None], right, reach)
    return each


def _all_as_shown(model: Grammar, other: Grammar, paths: Ragged) -> FloatArray:
    """Return the log ratio of two grammars' probabilities that all edges are observed as what they are.

    An unseen relation is a confusion in both.
    """
    ratio = np.divide(model.confusion, other.confusion, out=np.zeros(model.relations), where=other.confusion > 0.0)
    return _along(ratio, paths)


def _along(values: FloatArray, paths: Ragged) -> FloatArray:
    """Return the log of the product of values along each path; log 0 with an unseen relation."""
    total: FloatArray = np.add.reduceat(log(np.append(values, 0.0))[paths.values], paths.offsets[:-1])
    return total


def _with_care(joint: FloatArray, faultless: FloatArray, right: FloatArray, reach: FloatArray) -> FloatArray:
    """Return the share of each answer over long paths, from the joint probabilities with and without confusions.

    Args:
        joint: P(answer, path), [paths, relations].
        faultless: The same without confusions.
        right: Probability that a path has no confusion, [paths].
        reach: Exponent of the odds of the other answers, [paths].
    """
    odds = exp(log(normalize_rows(np.maximum(joint - faultless, 0.0))) * reach[:, None])
    least = np.minimum(faultless.sum(axis=1) / np.maximum(joint.sum(axis=1), np.finfo(float).tiny), 1.0)
    share = np.where(faultless.any(axis=1), np.maximum(least, right), 0.0)[:, None]
    return share * normalize_rows(faultless) + (1.0 - share) * normalize_rows(odds)
