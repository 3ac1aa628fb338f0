"""How many candidates are true though nobody says so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r5.chains.missing import find_missing, rising


@pytest.mark.parametrize("level", [0.1, 0.3, 0.7])
def test_the_share_of_what_was_taken_out_is_found_where_all_are_true(level: float) -> None:
    rng = np.random.default_rng(0)
    likely = rng.uniform(-8.0, 2.0, 40_000)
    chance = np.clip(0.3 * likely + 1.0, 0.0, 1.0)  # from 0 on, all are
    true = rng.random(likely.size) < chance
    taken = true & (rng.random(likely.size) < level)  # only these are known to be true
    above = rng.random(likely.size) < 0.5
    found = find_missing(likely, taken, above, np.arange(40_000) % 500)
    assert found.level == pytest.approx(level, abs=0.03)
    unsaid = true & ~taken
    for low in (-3.0, -2.0, -1.0, 0.5):
        here = (likely > low) & (likely < low + 0.5) & ~taken
        assert found.unsaid(likely[here], above[here]).mean() == pytest.approx(unsaid[here].mean(), abs=0.15)


def test_where_nothing_was_taken_out_nothing_is_known_to_be_missing() -> None:
    none = np.zeros(100, dtype=bool)
    found = find_missing(np.linspace(-5.0, 1.0, 100), none, none, np.arange(100))
    assert found.unsaid(np.linspace(-20.0, 20.0, 9), none[:9]).tolist() == [0.0] * 9


def test_candidates_above_a_true_answer_are_judged_by_themselves() -> None:
    """Equally likely to the model: of those above all are true, of those below half."""
    rng = np.random.default_rng(0)
    above = rng.random(80_000) < 0.5
    likely = rng.uniform(-8.0, np.where(above, 1.0, -1.0))
    true = rng.random(likely.size) < np.where(likely < -5.0, 0.0, np.where(above, 1.0, 0.5))
    found = find_missing(likely, true & (rng.random(likely.size) < 0.3), above, np.arange(80_000) % 500)
    assert found.level == pytest.approx(0.3, abs=0.08)
    same = np.full(2, -3.5)
    above_it, below_it = found.unsaid(same, np.array([True, False])).tolist()
    assert 0.75 < above_it <= 1.0
    assert below_it == pytest.approx(0.35 / 0.85, abs=0.1)


def test_where_the_likeliest_are_not_all_true_about_as_much_again_is_missing() -> None:
    """The rate still grows among the likeliest, of whom a quarter were taken out: the level is not a quarter."""
    rng = np.random.default_rng(0)
    likely = np.repeat([-3.0, -1.0, 0.5], [34_000, 5_000, 1_000])
    taken = rng.random(likely.size) < np.repeat([0.03, 0.06, 0.25], [34_000, 5_000, 1_000])
    found = find_missing(likely, taken, np.zeros(40_000, dtype=bool), np.arange(40_000) % 500)
    assert found.level == 0.5


def test_few_of_those_taken_out_do_not_decide() -> None:
    """A few of the likeliest were all taken out, by chance."""
    rng = np.random.default_rng(0)
    likely = np.concatenate([rng.uniform(-2.0, 0.0, 4_000), np.full(60, 0.9)])
    taken = np.concatenate([rng.random(4_000) < 0.2, np.ones(60, dtype=bool)])
    question = np.concatenate([np.arange(4_000) % 200, np.arange(60)])
    found = find_missing(likely, taken, np.zeros(4_060, dtype=bool), question)
    assert found.level < 0.5


@given(st.lists(st.integers(0, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=8))
def test_rates_that_never_fall_are_those_of_the_definition(groups: list[tuple[int, int]]) -> None:
    hits, sizes = (np.array(column) for column in zip(*groups, strict=True))
    found = rising(hits, sizes)
    assert (np.diff(found) >= 0).all()
    # The greatest, over where a run starts, of the least rate, over where it ends (Robertson, Wright and Dykstra).
    for place in np.flatnonzero(sizes):
        rates = [
            min(hits[a:b].sum() / sizes[a:b].sum() for b in range(place + 1, sizes.size + 1))
            for a in range(place + 1)
            if sizes[a]
        ]
        assert found[place] == pytest.approx(max(rates))
