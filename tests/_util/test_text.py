"""Text of messages."""

from __future__ import annotations

from r5._util.text import abbreviate


def test_deep_and_large_values_are_abbreviated() -> None:
    deep: list[object] = []
    for _ in range(900):
        deep = [deep]
    assert len(abbreviate(deep)) < 100
    assert len(abbreviate({"a": ["x" * 1000] * 1000})) < 500
