"""exp, log and tanh are accurate and have the same bits on every machine."""

from __future__ import annotations

import hashlib
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from r5._util.kernels.elementary_kernels import LOG_2, exp, log


@settings(deadline=None)
@given(st.floats(-745.0, 709.0))
def test_exp_is_within_a_unit_in_the_last_place(x: float) -> None:
    assert abs(float(exp(x)) - math.exp(x)) <= 2 * math.ulp(math.exp(x))


@settings(deadline=None)
@given(st.floats(min_value=5e-324, max_value=1.7e308))
def test_log_is_within_a_unit_in_the_last_place(x: float) -> None:
    assert abs(float(log(x)) - math.log(x)) <= 2 * math.ulp(math.log(x))


def test_infinities_zero_and_overflow() -> None:
    assert exp([710.0, np.inf, -746.0, -np.inf, 0.0]).tolist() == [math.inf, math.inf, 0.0, 0.0, 1.0]
    assert log([0.0, 1.0, np.inf]).tolist() == [-math.inf, 0.0, math.inf]
    assert np.isnan([*exp([np.nan]), *log([np.nan, -1.0])]).all()
    assert math.log(2.0) == LOG_2
    assert exp(np.zeros((2, 3))).shape == (2, 3)


def test_results_have_the_same_bits_on_every_machine() -> None:
    """Sums, products and divisions alone make these; where this fails the machine or the compiler rounds otherwise."""
    places = np.arange(1, 100_001)
    found = np.concatenate([exp((places - 50_000) / 97.0), log(places / 89.0)])
    assert hashlib.sha256(found.tobytes()).hexdigest() == (
        "f8e6f7c889b7f282ffa07af3ce7ac037427de3576625ffe8ec27c05a4f2a9db4"
    )
