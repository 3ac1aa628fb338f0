"""How many candidates are true though nobody says so, and the temperature."""

from __future__ import annotations

import numpy as np
import pytest

from r5.chains.calibrating import share_of_true


def test_the_share_of_true_candidates_is_found_from_some_of_them() -> None:
    rng = np.random.default_rng(0)
    shares = rng.random(20_000)
    true = rng.random(shares.size) < np.clip(1.5 * shares - 0.3, 0, 1)  # from a share of .87 on, all are
    taken = true & (rng.random(shares.size) < 0.3)  # only these are known to be true
    bounds, chances = share_of_true(shares, taken)
    assert (np.diff(bounds) > 0).all()
    assert (np.diff(chances) > 0).all()
    assert chances[-1] == 1.0
    for share, right in ((0.3, 0.15), (0.5, 0.45), (0.7, 0.75)):
        assert chances[np.searchsorted(bounds, share, side="right") - 1] == pytest.approx(right, abs=0.15)


def test_few_facts_say_nothing_about_what_is_missing() -> None:
    bounds, chances = share_of_true(np.array([0.5, 0.4]), np.array([True, False]))
    assert (bounds.tolist(), chances.tolist()) == ([], [0.0])
