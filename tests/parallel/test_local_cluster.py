"""LocalCluster: order of results, errors and time limits."""

from __future__ import annotations

import time

import pytest

from r5._util.runtime.budget import Budget, TimeLimitError
from r5.parallel.local_cluster import LocalCluster


def late(number: int) -> int:
    time.sleep(0.002 * (number % 3))
    if number == 13:
        raise ValueError("13")
    return number**2


@pytest.mark.parametrize("threads", [1, 3])
def test_results_are_in_the_order_of_the_items(threads: int) -> None:
    by_position: dict[int, int] = {}
    with LocalCluster(threads) as cluster:
        assert cluster.map(late, range(9), on_result=by_position.setdefault) == [number**2 for number in range(9)]
        assert by_position == {number: number**2 for number in range(9)}
        shards = cluster.build_shards(float, ["0.1", "0.2", "0.3", "1e9"])
        assert shards.map(lambda shard, factor, _: shard * factor, 2.0) == [0.2, 0.4, 0.6, 2e9]
        assert shards.total(lambda shard, factor, _: shard * factor, 1.0) == (0.1 + 0.2) + (0.3 + 1e9)
        assert cluster.share("a").value == "a"


@pytest.mark.parametrize("threads", [1, 3])
def test_errors_are_raised_and_a_stream_takes_few_items_ahead(threads: int) -> None:
    taken: list[int] = []
    with LocalCluster(threads) as cluster:
        with pytest.raises(ValueError, match="13"):
            list(cluster.stream(late, (taken.append(number) or number for number in range(100))))  # type: ignore[func-returns-value]
        assert max(taken) <= 13 + 4 * threads
        with pytest.raises(ValueError, match="13"):
            cluster.build_shards(int, ["5", "13", "8"]).map(lambda shard, _, __: late(shard), None)
        over = Budget()
        over.cancel()
        with pytest.raises(TimeLimitError):
            cluster.map(late, [1], over)
        with pytest.raises(TimeLimitError):
            cluster.build_shards(late, [1], over)
