"""Probability that unlabelled candidates are true, on data with known truth."""

from __future__ import annotations

import numpy as np
import pytest

from r5.chains.calibration.held_out_scores import HeldOutScores
from r5.chains.calibration.unlabelled import fit_unlabelled, unlabelled_probabilities


@pytest.mark.parametrize("power", [0.6, 1.0, 1.7])
@pytest.mark.parametrize("level", [0.1, 0.3, 0.7])
def test_level_and_power_are_recovered(level: float, power: float) -> None:
    rng = np.random.default_rng(0)
    log_expected = rng.uniform(-8.0, 1.0, 60_000)
    true = rng.random(log_expected.size) < 1.0 - np.exp(-np.exp(1.0 + power * log_expected))
    is_held_out = true & (rng.random(log_expected.size) < level)  # only these are labelled
    found = fit_unlabelled(log_expected, is_held_out)
    assert found.level == pytest.approx(level, abs=0.04)
    assert found.power == pytest.approx(power, abs=0.1)
    unlabelled = true & ~is_held_out
    for low in (-4.0, -2.0, -1.0, 0.5):
        inside = (log_expected > low) & (log_expected < low + 0.5) & ~is_held_out
        assert found.probabilities(log_expected[inside]).mean() == pytest.approx(unlabelled[inside].mean(), abs=0.05)


def test_low_rates_are_not_mistaken_for_a_low_level() -> None:
    """The likeliest candidates are true with probability 1/3, and half of the true ones are held out."""
    rng = np.random.default_rng(0)
    log_expected = rng.uniform(-8.0, 0.0, 60_000)
    true = rng.random(log_expected.size) < 1.0 - np.exp(-np.exp(-1.0 + log_expected))
    found = fit_unlabelled(log_expected, true & (rng.random(log_expected.size) < 0.5))
    assert 0.35 < found.level < 0.65


def test_without_held_out_candidates_few_are_true() -> None:
    """The model expects few of the candidates, and none is held out."""
    found = fit_unlabelled(np.full(1_000, -4.0), np.zeros(1_000, dtype=bool))
    assert found.probabilities(np.full(1, -4.0))[0] < 0.1


def test_without_candidates_the_prior_is_returned() -> None:
    found = fit_unlabelled(np.zeros(0), np.zeros(0, dtype=bool))
    assert found.level == pytest.approx(0.5)
    assert (found.log_factor, found.power) == pytest.approx((np.log(2.0), 1.0))


def test_low_level_is_recovered_from_few_held_out_candidates() -> None:
    """One missing answer in fifty is held out, forty in all."""
    rng = np.random.default_rng(0)
    log_expected = rng.uniform(-8.0, -1.0, 10_000)
    true = rng.random(log_expected.size) < 1.0 - np.exp(-50.0 * np.exp(log_expected))
    found = fit_unlabelled(log_expected, true & (rng.random(log_expected.size) < 0.02))
    assert 0.005 < found.level < 0.06


def _held_out_scores(
    rng: np.random.Generator, queries: int, candidates: int, level: float
) -> tuple[HeldOutScores, np.ndarray]:
    """Return scores and truth of queries, half without missing answers and half with nearly all candidates true."""
    size = queries * candidates
    query = np.repeat(np.arange(queries), candidates)
    true = rng.random(size) < np.where(query % 2 == 1, 0.95, 0.0)
    is_held_out = true & (rng.random(size) < level)
    others = np.bincount(query, is_held_out)[query] - is_held_out
    return HeldOutScores(
        query,
        np.zeros(size),
        np.ones(size),
        np.zeros(size, dtype=bool),
        is_held_out,
        np.ones(size, dtype=bool),
        others.astype(np.int64),
        np.ones(size, dtype=np.int64),
        np.arange(0, size + 1, candidates),
    ), true


def test_queries_with_more_held_out_answers_have_more_missing_ones() -> None:
    """All scores are equal, so only the held-out answers of a query distinguish its candidates."""
    scores, true = _held_out_scores(np.random.default_rng(0), 1_000, 12, 0.5)
    unlabelled = unlabelled_probabilities(scores, 0.05)
    left = ~scores.is_held_out
    for parity, share in ((0, 0.0), (1, true[left & (scores.query % 2 == 1)].mean())):
        assert unlabelled[left & (scores.query % 2 == parity)].mean() == pytest.approx(share, abs=0.12)


def test_binned_candidates_have_probability_zero() -> None:
    scores, _ = _held_out_scores(np.random.default_rng(0), 100, 12, 0.5)
    last = np.arange(scores.query.size) % 12 == 11
    unlabelled = unlabelled_probabilities(
        HeldOutScores(**{**vars(scores), "is_single": ~last, "counts": np.where(last, 5.0, 1.0)}), 0.05
    )
    assert not unlabelled[last].any()
    assert unlabelled[~last].all()
