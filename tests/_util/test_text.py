"""Text of messages."""

from __future__ import annotations

from r5._util.text import abbreviate, similar_names


def test_deep_and_large_values_are_abbreviated() -> None:
    deep: list[object] = []
    for _ in range(900):
        deep = [deep]
    assert len(abbreviate(deep)) < 100
    assert len(abbreviate({"a": ["x" * 1000] * 1000})) < 500


def test_similar_names_are_found_without_regard_to_case_and_diacritics() -> None:
    names = ["Łukasz Nowak", "Ann Łukasz-Berg", "Tomasz Nowak", "Zoë"]
    assert similar_names("lukasz nowak", names)[0] == "Łukasz Nowak"
    assert similar_names("ZOE", names) == ["Zoë"]
    # Nothing is close: names with a word that begins with it, the shortest first.
    assert similar_names("lukasz", names) == ["Łukasz Nowak", "Ann Łukasz-Berg"]
    assert similar_names("", names) == []
