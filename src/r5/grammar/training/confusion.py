"""Confusion probabilities from expected counts.

Confusions may be uniform over all other relations, or particular to each relation. With few examples the
difference matters: a single confusion then says nothing, or nearly everything. The concentration of a Dirichlet
prior is estimated from the counts of all relations together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5._util.elementary_kernels import log
from r5._util.order import first_largest

__all__ = ["confusion_concentration", "smooth_confusion"]

_EVENNESS = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
"""Candidate concentrations: pseudo-counts of each relation, uniform over all other relations."""

FloatArray = NDArray[np.float64]
Leaves = tuple[NDArray[np.integer], NDArray[np.integer]]


def confusion_concentration(leaves: Leaves, counts: FloatArray, relations: int) -> float:
    """Return the concentration with the highest leave-one-out likelihood of the confusions.

    >>> same = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2]), np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
    >>> confusion_concentration(same, np.array([9.0, 4, 4, 4, 9, 4, 4, 4, 9]), 3)  # any other is as likely
    256.0
    >>> confusion_concentration(same, np.array([9.0, 8, 0, 0, 9, 8, 8, 0, 9]), 3)  # each has one of its own
    2.0
    """
    true, observed = leaves
    wrong = true != observed
    seen, others = counts[wrong], max(relations - 1, 1)
    of_relation = np.bincount(true[wrong], seen, minlength=relations)[true[wrong]]
    but_one, but_one_of_all = np.maximum(seen - 1.0, 0.0), np.maximum(of_relation - 1.0, 0.0)
    fits = [float((seen * log((but_one + n / others) / (but_one_of_all + n))).sum()) for n in _EVENNESS]
    return _EVENNESS[first_largest(fits)]


def smooth_confusion(leaves: Leaves, counts: FloatArray, relations: int, wrong: float) -> tuple[FloatArray, FloatArray]:
    """Return the smoothed count of each confusion, and of an unlisted confusion of each relation.

    The total of a relation is its expected number of confusions plus `wrong` for each other relation; it is
    distributed by the counts and the concentration. Leaves that are no confusions have 0.
    """
    true, observed = leaves
    others = max(relations - 1, 1)
    of_relation = np.bincount(true, np.where(true != observed, counts, 0.0), minlength=relations)
    imagined = confusion_concentration(leaves, counts, relations)
    factor = (of_relation + wrong * others) / (of_relation + imagined)
    seen = np.where(true != observed, (counts + imagined / others) * factor[true], 0.0)
    return seen, imagined / others * factor
