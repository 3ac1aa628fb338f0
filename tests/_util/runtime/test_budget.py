"""Budgets run out, split and cancel; threads follow the environment."""

from __future__ import annotations

import math
import os
import time

import pytest

from r5._util.runtime.batch_size import AdaptiveBatchSize
from r5._util.runtime.budget import Budget, TimeLimitError
from r5._util.runtime.threads import usable_threads
from r5.errors import R5Error


def test_check_raises_after_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    budget = Budget(2.5)
    now = 102.0
    budget.check()
    assert (budget.seconds_left, budget.is_exhausted) == (0.5, False)
    now = 103.0
    assert (budget.seconds_left, budget.is_exhausted) == (0.0, True)
    with pytest.raises(TimeLimitError, match=r"the time limit of 2\.5 s was over before paths were found"):
        budget.check("paths were found")
    assert Budget().seconds_left == math.inf


def test_a_fraction_ends_with_its_budget() -> None:
    budget = Budget(100, threads=3)
    half, other = budget.fraction(0.5), budget.fraction(0.5)
    assert 49 < half.seconds_left <= 50
    assert budget.fraction(0.5).threads == 3
    assert Budget().fraction(0.5).seconds_left == math.inf
    other.cancel()
    assert (budget.is_exhausted, half.is_exhausted, other.is_exhausted) == (False, False, True)
    budget.cancel()
    assert (budget.is_exhausted, half.is_exhausted) == (True, True)


@pytest.mark.parametrize("seconds", [0, -1, math.nan, math.inf])
def test_limits_out_of_range_are_refused(seconds: float) -> None:
    with pytest.raises(R5Error, match="must be a number of seconds above 0"):
        Budget(seconds)
    with pytest.raises(R5Error, match="threads must be a whole number from 1 on"):
        Budget(threads=0)


def test_usable_threads_is_the_smallest_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert (usable_threads(), Budget().threads, Budget(threads=12).threads) == (8, 8, 12)
    for numba, openmp, wanted in (("4", "6", 4), ("", "3,1", 3), ("99", "", 8), ("0", "x", 8), ("-2", " 5 ", 5)):
        monkeypatch.setenv("NUMBA_NUM_THREADS", numba)
        monkeypatch.setenv("OMP_NUM_THREADS", openmp)
        assert usable_threads() == wanted


def test_batch_size_adapts_to_the_time_of_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.01, 0.02, 1.0, 2.0, 3.0, 3.1]).__next__
    monkeypatch.setattr(time, "perf_counter", clock)
    batch = AdaptiveBatchSize(2)
    sizes = []
    for _ in range(6):
        batch.update()
        sizes.append(batch.size)
    assert sizes == [4, 8, 4, 2, 1, 1]
