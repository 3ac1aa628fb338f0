"""Budgets end, are shared out, and say what they were too short for; threads are those that may be used."""

from __future__ import annotations

import math
import os
import time

import pytest

from r5._util.budget import Budget, OutOfTimeError
from r5._util.pace import Pace
from r5._util.threads import usable_threads
from r5.errors import R5Error


def test_a_budget_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    budget = Budget(2.5)
    now = 102.0
    budget.check()
    assert (budget.left, budget.is_over) == (0.5, False)
    now = 103.0
    assert (budget.left, budget.is_over) == (0.0, True)
    with pytest.raises(OutOfTimeError, match=r"the time limit of 2\.5 s was over before paths were found"):
        budget.check("paths were found")
    assert Budget().left == math.inf


def test_a_budget_is_shared_out_and_called_off() -> None:
    budget = Budget(100, threads=3)
    half, other = budget.part(0.5), budget.part(0.5)
    assert 49 < half.left <= 50
    assert budget.part(0.5).threads == 3
    assert Budget().part(0.5).left == math.inf
    other.call_off()
    assert (budget.is_over, half.is_over, other.is_over) == (False, False, True)
    budget.call_off()
    assert (budget.is_over, half.is_over) == (True, True)


@pytest.mark.parametrize("seconds", [0, -1, math.nan, math.inf])
def test_a_limit_is_a_number_of_seconds(seconds: float) -> None:
    with pytest.raises(R5Error, match="must be a number of seconds above 0"):
        Budget(seconds)
    with pytest.raises(R5Error, match="threads must be a whole number from 1 on"):
        Budget(threads=0)


def test_threads_are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert (usable_threads(), Budget().threads, Budget(threads=12).threads) == (8, 8, 12)
    for numba, openmp, wanted in (("4", "6", 4), ("", "3,1", 3), ("99", "", 8), ("0", "x", 8), ("-2", " 5 ", 5)):
        monkeypatch.setenv("NUMBA_NUM_THREADS", numba)
        monkeypatch.setenv("OMP_NUM_THREADS", openmp)
        assert usable_threads() == wanted


def test_pieces_grow_and_shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.01, 0.02, 1.0, 2.0, 3.0, 3.1]).__next__
    monkeypatch.setattr(time, "perf_counter", clock)
    pace = Pace(2)
    sizes = []
    for _ in range(6):
        pace.done()
        sizes.append(pace.size)
    assert sizes == [4, 8, 4, 2, 1, 1]
