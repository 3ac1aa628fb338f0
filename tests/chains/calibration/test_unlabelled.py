"""How many candidates are true though nobody says so."""

from __future__ import annotations

import numpy as np
import pytest

from r5.chains.calibration.held_out_scores import HeldOutScores
from r5.chains.calibration.unlabelled import fit_unlabelled, unlabelled_probabilities


@pytest.mark.parametrize("power", [0.6, 1.0, 1.7])
@pytest.mark.parametrize("level", [0.1, 0.3, 0.7])
def test_the_share_of_what_was_taken_out_is_found(level: float, power: float) -> None:
    rng = np.random.default_rng(0)
    log_expected = rng.uniform(-8.0, 1.0, 60_000)
    true = rng.random(log_expected.size) < 1.0 - np.exp(-np.exp(1.0 + power * log_expected))
    taken = true & (rng.random(log_expected.size) < level)  # only these are known to be true
    found = fit_unlabelled(log_expected, taken)
    assert found.level == pytest.approx(level, abs=0.04)
    assert found.power == pytest.approx(power, abs=0.1)
    unlabelled = true & ~taken
    for low in (-4.0, -2.0, -1.0, 0.5):
        here = (log_expected > low) & (log_expected < low + 0.5) & ~taken
        assert found.unlabelled(log_expected[here]).mean() == pytest.approx(unlabelled[here].mean(), abs=0.05)


def test_where_all_rates_are_low_they_are_not_taken_for_the_level() -> None:
    """No candidate is surely true: the likeliest are so once in three times, and half of those were taken out."""
    rng = np.random.default_rng(0)
    log_expected = rng.uniform(-8.0, 0.0, 60_000)
    true = rng.random(log_expected.size) < 1.0 - np.exp(-np.exp(-1.0 + log_expected))
    found = fit_unlabelled(log_expected, true & (rng.random(log_expected.size) < 0.5))
    assert 0.35 < found.level < 0.65


def test_where_nothing_was_taken_out_little_is_missing() -> None:
    """A thousand candidates that the model thinks unlikely, none of which was taken out."""
    found = fit_unlabelled(np.full(1_000, -4.0), np.zeros(1_000, dtype=bool))
    assert found.unlabelled(np.full(1, -4.0))[0] < 0.1


def test_without_candidates_about_as_much_again_is_missing() -> None:
    found = fit_unlabelled(np.zeros(0), np.zeros(0, dtype=bool))
    assert found.level == pytest.approx(0.5)
    assert (found.factor, found.power) == pytest.approx((np.log(2.0), 1.0))


def test_a_small_part_that_was_taken_out_is_told_by_few() -> None:
    """One missing answer in fifty was taken out, forty in all."""
    rng = np.random.default_rng(0)
    log_expected = rng.uniform(-8.0, -1.0, 10_000)
    true = rng.random(log_expected.size) < 1.0 - np.exp(-50.0 * np.exp(log_expected))
    found = fit_unlabelled(log_expected, true & (rng.random(log_expected.size) < 0.02))
    assert 0.005 < found.level < 0.06


def _looks(rng: np.random.Generator, queries: int, candidates: int, level: float) -> tuple[HeldOutScores, np.ndarray]:
    """Questions half of which have no missing answer but the one asked for, and half nearly all; and what is true."""
    size = queries * candidates
    owner = np.repeat(np.arange(queries), candidates)
    true = rng.random(size) < np.where(owner % 2 == 1, 0.95, 0.0)
    taken = true & (rng.random(size) < level)
    others = np.bincount(owner, taken)[owner] - taken
    return HeldOutScores(
        owner,
        np.zeros(size),
        np.ones(size),
        np.zeros(size, dtype=bool),
        taken,
        np.ones(size, dtype=bool),
        others.astype(np.int64),
        np.ones(size, dtype=np.int64),
        np.arange(0, size + 1, candidates),
    ), true


def test_questions_of_which_several_answers_were_taken_out_lack_more() -> None:
    """To the model all candidates are alike: what was taken out of the same question tells them apart."""
    scores_, true = _looks(np.random.default_rng(0), 1_000, 12, 0.5)
    unlabelled = unlabelled_probabilities(scores_, 0.05)
    left = ~scores_.taken
    for odd, share in ((0, 0.0), (1, true[left & (scores_.owner % 2 == 1)].mean())):
        assert unlabelled[left & (scores_.owner % 2 == odd)].mean() == pytest.approx(share, abs=0.12)


def test_candidates_that_stand_for_several_are_taken_to_be_wrong() -> None:
    scores_, _ = _looks(np.random.default_rng(0), 100, 12, 0.5)
    last = np.arange(scores_.owner.size) % 12 == 11
    unlabelled = unlabelled_probabilities(
        HeldOutScores(**{**vars(scores_), "likely": ~last, "counts": np.where(last, 5.0, 1.0)}), 0.05
    )
    assert not unlabelled[last].any()
    assert unlabelled[~last].all()
