"""Selection of the examples of a report."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from r5.report.examples.selection import describe_examples, select_examples
from r5.report.findings import Findings


@given(st.lists(st.sampled_from(["right", "wrong", "silent"]), max_size=80), st.integers(0, 40))
def test_wrong_answers_come_first_without_repetition(kinds: list[str], most: int) -> None:
    chosen = select_examples([k == "right" for k in kinds], [k != "silent" for k in kinds], most)
    assert len(chosen) == len(set(chosen)) == min(most, len(kinds))
    shown = [kinds[n] for n in chosen]
    assert shown == sorted(shown, key=["wrong", "silent", "right"].index)
    if kinds.count("wrong") + kinds.count("silent") <= most - most // 4 and most >= 4:
        assert shown.count("wrong") == kinds.count("wrong")
        assert shown.count("silent") == kinds.count("silent")
    for kind in ("right", "silent"):
        assert shown.count(kind) >= min(kinds.count(kind), most // 4)


def test_too_many_examples_are_sampled_evenly() -> None:
    assert select_examples([True] * 101, [True] * 101, 5) == [0, 25, 50, 75, 100]
    assert select_examples([False] * 101, [True] * 101, 5) == [0, 25, 50, 75, 100]
    assert select_examples([True] * 3, [True] * 3, 1) == [0]


def test_describe_examples_counts_each_kind(findings: Findings) -> None:
    wrong = findings.right.count(False)
    assert wrong > 3
    everything = list(range(len(findings.right)))
    assert (
        describe_examples(findings, everything)
        == f"All 60 questions are here: all {wrong} wrong, all {60 - wrong} right."
    )
    some = [n for n in everything if not findings.right[n]][:3]
    assert describe_examples(findings, some) == (
        f"3 of 60 questions are here, drawn evenly: 3 of {wrong} wrong, 0 of {60 - wrong} right."
    )
