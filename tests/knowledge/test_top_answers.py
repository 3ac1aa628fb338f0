"""First answers and their shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from r5.data.one_graph import dataset_with_splits
from r5.knowledge.top_answers import Candidate, top_answers

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

    def rank_candidates(self, queries: Iterable[Any], graph: object = None, *, top: int) -> Iterator[list[Candidate]]:
        for head, _, _ in queries:
            yield [] if head is None else [Candidate("c", 0.6), Candidate("d", 0.3)]


def test_top_answers_exclude_other_true_answers() -> None:
    found = top_answers(Always(), DATA, DATA.test)
    assert [(one.query, one.truth, one.entity, one.right) for one in found] == [
        (("a", "likes", None), "d", "d", True),  # c is true in valid
        ((None, "likes", "d"), "a", None, False),
        (("c", "likes", None), "d", "c", False),
        ((None, "likes", "d"), "c", None, False),
    ]
    assert [one.share for one in found] == pytest.approx([0.75, 0.0, 0.6, 0.0])
