"""How many candidates are true though nobody says so."""

from __future__ import annotations

import numpy as np
import pytest

from r5.chains.calibrating import chances_of, share_taken_out


def test_the_share_of_what_was_taken_out_is_found_where_the_model_is_sure() -> None:
    rng = np.random.default_rng(0)
    shares = rng.random(20_000)
    true = rng.random(shares.size) < np.clip(1.5 * shares - 0.3, 0, 1)  # from a share of .87 on, all are
    taken = true & (rng.random(shares.size) < 0.3)  # only these are known to be true
    assert share_taken_out(shares, taken) == pytest.approx(0.3, abs=0.05)


def test_few_facts_say_nothing_about_what_is_missing() -> None:
    assert share_taken_out(np.array([0.5, 0.4]), np.array([True, False])) == 1.0


@pytest.mark.parametrize("missing", [0.0, 0.4, 3.0, 50.0])
def test_chances_sum_to_the_number_of_missing_answers(missing: float) -> None:
    shares = np.random.default_rng(1).dirichlet(np.full(40, 0.3))
    chances = chances_of(shares, missing)
    assert chances.sum() == pytest.approx(min(missing, shares.size))
    assert chances.min() >= 0.0
    assert chances.max() <= 1.0
    order = np.argsort(shares)
    assert (np.diff(chances[order]) >= -1e-12).all()
