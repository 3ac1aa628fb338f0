"""Ranking of answers by probability."""

from __future__ import annotations

import numpy as np

from r5.baselines.model import rank_answers


def test_ties_are_ranked_by_position() -> None:
    best = rank_answers(np.array([0.2, 0.4, 0.4, 0.001]), ("a", "b", "c", "d"))
    assert best is not None
    assert (best.relation, [other.relation for other in best.alternatives]) == ("b", ["c", "a"])


def test_zeros_have_no_answer() -> None:
    assert rank_answers(np.zeros(2), ("a", "b")) is None
