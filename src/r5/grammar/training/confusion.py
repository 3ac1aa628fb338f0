"""Mistakes: how likely each relation is to be observed as which, from how often it was in expectation.

Whether confusions fall evenly on all other relations, or each relation has some of its own, is not known beforehand. With
few examples it matters much: a mistake seen once then says nothing, or nearly everything. The counts of all relations
together tell.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5._util.elementary_kernels import log
from r5._util.order import first_largest

__all__ = ["confusion_concentration", "smooth_confusion"]

_EVENNESS = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
"""How many imagined confusions of each relation, evenly as each other one, may be added to those that were counted."""

FloatArray = NDArray[np.float64]
Leaves = tuple[NDArray[np.integer], NDArray[np.integer]]


def confusion_concentration(leaves: Leaves, counts: FloatArray, relations: int) -> float:
    """The imagined confusions under which each one that was counted is the likeliest, given all the others.

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
    """How often each leaf that is a mistake is reckoned with, and each mistake of a relation that is not listed.

    A relation is mistaken as often as it was, and `wrong` times for each other one; what for is shared
    out by what was counted and by how evenly the confusions of all relations fall. Leaves that are no confusions have 0.
    """
    true, observed = leaves
    others = max(relations - 1, 1)
    of_relation = np.bincount(true, np.where(true != observed, counts, 0.0), minlength=relations)
    imagined = confusion_concentration(leaves, counts, relations)
    factor = (of_relation + wrong * others) / (of_relation + imagined)
    seen = np.where(true != observed, (counts + imagined / others) * factor[true], 0.0)
    return seen, imagined / others * factor
