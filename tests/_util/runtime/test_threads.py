"""Attributes that each thread has for itself."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from r5._util.runtime.threads import per_thread


class Holder:
    """Object with a list for each thread."""

    @per_thread
    def scratch(self) -> list[int]:
        """Scratch list."""
        return []


def test_each_thread_and_each_object_has_a_value_of_its_own() -> None:
    one, other, barrier = Holder(), Holder(), Barrier(2)

    def own() -> tuple[list[int], list[int]]:
        barrier.wait(10)  # both threads are in use
        return one.scratch, one.scratch

    with ThreadPoolExecutor(2) as pool:
        first, second = (task.result() for task in [pool.submit(own) for _ in range(2)])
    assert first[0] is first[1]
    values = [first[0], second[0], one.scratch, other.scratch]
    assert len(set(map(id, values))) == 4
