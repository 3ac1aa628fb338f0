"""Measures of discovery and audit: precision at k, average precision, area under the ROC curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["area_under_curve", "discovery_measures"]


def discovery_measures(right: Sequence[bool], wanted: int) -> dict[str, float]:
    """Return precision at 100 and at n, recall at 100 and average precision of a ranked list.

    Args:
        right: Whether each fact of the list is one of those wanted, best first.
        wanted: Number of facts wanted, n; those that the list lacks count as missed.

    >>> discovery_measures([True, False, True], 2)["average_precision"]
    0.8333333333333333
    """
    hits = np.asarray(right, dtype=float)
    found = np.cumsum(hits) if hits.size else np.zeros(1)
    precision = found / np.arange(1, found.size + 1)
    at = {k: float(found[min(k, found.size) - 1]) for k in (100, max(wanted, 1))}
    return {
        "p_at_100": at[100] / 100,
        "recall_at_100": at[100] / max(wanted, 1),
        "p_at_n": at[max(wanted, 1)] / max(wanted, 1),
        "average_precision": float(precision[: hits.size] @ hits) / max(wanted, 1),
        "n": wanted,
    }


def area_under_curve(scores: NDArray[np.float64], wrong: NDArray[Any]) -> float:
    """Return the probability that a wrong fact has a higher score than a right one, ties counted half.

    >>> area_under_curve(np.array([3.0, 1.0, 2.0]), np.array([True, False, False]))
    1.0
    """
    values, place = np.unique(scores, return_inverse=True)
    bad = np.bincount(place, np.asarray(wrong, float), values.size)
    good = np.bincount(place, ~np.asarray(wrong, bool), values.size)
    below = np.cumsum(good) - good
    return float((bad * (below + good / 2)).sum() / max(bad.sum() * good.sum(), 1.0))
