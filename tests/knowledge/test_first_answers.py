"""First answers and how far they can be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from r5.chains.completion import Completion
from r5.data.one_graph import dataset_with_splits
from r5.knowledge.first_answers import calibration_error, first_answers

DATA = dataset_with_splits(
    "toy",
    {
        "train": [("a", "likes", "b"), ("b", "likes", "c")],
        "valid": [("a", "likes", "c")],
        "test": [("a", "likes", "d"), ("c", "likes", "d")],
    },
)


class Always:
    """Offers c, then d, for every tail and nothing for heads."""

    def complete_many(self, questions: Iterable[Any], *, top: int) -> Iterator[list[Completion]]:
        for head, _, _ in questions:
            yield [] if head is None else [Completion("c", 0.6, 1.0), Completion("d", 0.3, 0.5)]


def test_other_true_answers_do_not_count() -> None:
    found = first_answers(Always(), DATA, DATA.test)
    assert [(one.question, one.wanted, one.entity, one.right) for one in found] == [
        (("a", "likes", None), "d", "d", True),  # c is true in valid
        ((None, "likes", "d"), "a", None, False),
        (("c", "likes", None), "d", "c", False),
        ((None, "likes", "d"), "c", None, False),
    ]
    assert [one.probability for one in found] == pytest.approx([0.75, 0.0, 0.6, 0.0])


def test_calibration_error() -> None:
    assert calibration_error([0.8] * 10, [True] * 8 + [False] * 2) == pytest.approx(0.0)
    assert calibration_error([1.0, 0.0], [False, True]) == pytest.approx(1.0)
    assert calibration_error([0.95, 0.15], [True, False]) == pytest.approx(0.1)
    assert calibration_error([], []) == 0.0
