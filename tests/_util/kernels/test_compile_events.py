"""Time of compilations: that of inner kernels is part of their caller's."""

from __future__ import annotations

from r5._util.kernels.compile_events import Compilations


def test_nested_compilations_count_once() -> None:
    found = Compilations()
    calls: list[int] = []
    found.before = lambda events: calls.append(events.number)
    for _ in range(2):
        found.begin()
        found.begin()
        found.end()
        found.end()
    assert (found.number, calls) == (2, [0, 1])
    assert 0 < found.seconds < 1
