"""Threads of this process: results in order, errors and budgets heard."""

from __future__ import annotations

import time

import pytest

from r5._util.runtime.budget import Budget, TimeLimitError
from r5.parallel.local import Local


def late(number: int) -> int:
    time.sleep(0.002 * (number % 3))
    if number == 13:
        raise ValueError("13")
    return number**2


@pytest.mark.parametrize("threads", [1, 3])
def test_results_are_in_order_whatever_is_done_first(threads: int) -> None:
    told: dict[int, int] = {}
    with Local(threads) as cluster:
        assert cluster.map(late, range(9), told=told.setdefault) == [number**2 for number in range(9)]
        assert told == {number: number**2 for number in range(9)}
        held = cluster.hold(float, ["0.1", "0.2", "0.3", "1e9"])
        assert held.map(lambda shard, factor, _: shard * factor, 2.0) == [0.2, 0.4, 0.6, 2e9]
        assert held.total(lambda shard, factor, _: shard * factor, 1.0) == (0.1 + 0.2) + (0.3 + 1e9)
        assert cluster.share("a").value == "a"


@pytest.mark.parametrize("threads", [1, 3])
def test_what_goes_wrong_is_raised_and_only_so_many_items_are_taken(threads: int) -> None:
    taken: list[int] = []
    with Local(threads) as cluster:
        with pytest.raises(ValueError, match="13"):
            list(cluster.stream(late, (taken.append(number) or number for number in range(100))))  # type: ignore[func-returns-value]
        assert max(taken) <= 13 + 4 * threads
        with pytest.raises(ValueError, match="13"):
            cluster.hold(int, ["5", "13", "8"]).map(lambda shard, _, __: late(shard), None)
        over = Budget()
        over.cancel()
        with pytest.raises(TimeLimitError):
            cluster.map(late, [1], over)
        with pytest.raises(TimeLimitError):
            cluster.hold(late, [1], over)
