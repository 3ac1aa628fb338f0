"""New facts judged by the splits of a data set."""

from __future__ import annotations

from typing import Any

import pytest

import r5
from r5.data.one_graph import dataset_with_splits
from r5.derivations.completion import Completion
from r5.report.graphs.judged_facts import JudgedFact, fact_calibration_error, judge_new_facts
from tests.helpers.completing import StandIn

DATA = dataset_with_splits(
    "toy",
    {
        "train": [("a", "likes", "b"), ("b", "likes", "c")],
        "valid": [("a", "likes", "c")],
        "test": [("a", "likes", "d"), ("c", "likes", "d")],
    },
)


def offer(head: str, tail: str, probability: float, known: bool = False) -> Completion:
    return Completion(tail, probability, 0.0, (), head, "likes", tail, known)


class Finder(StandIn):
    """Model that finds facts of either split and of none, a known one and one below the minimum."""

    def new_facts(self, count: int = 100, graph: Any = None, **more: Any) -> list[Completion]:  # type: ignore[override]
        assert more == {"min_probability": 0.1, "progress": None}
        found = [offer("a", "c", 0.9), offer("a", "d", 0.8), offer("d", "a", 0.7), offer("a", "b", 0.6, known=True)]
        return [*found, offer("c", "d", 0.05)][:count]


def test_facts_are_looked_up_in_valid_and_test() -> None:
    found = judge_new_facts(Finder(), DATA)
    assert [(one.completion.tail, one.probability, one.split, one.right) for one in found] == [
        ("c", 0.9, "valid", True),
        ("d", 0.8, "test", True),
        ("a", 0.7, None, False),
    ]


def test_the_calibration_error_compares_probabilities_with_the_splits() -> None:
    facts = [JudgedFact(offer("a", "c", 0.75), split) for split in ("valid", "test", "test", None)]
    assert fact_calibration_error(facts) == pytest.approx(0.0)
    assert fact_calibration_error(facts[3:]) == pytest.approx(0.75)


def test_the_new_facts_of_a_model_are_mostly_held_out_facts() -> None:
    # Every fourth grandparent is in test.
    parents = [(f"p{i}", "parent", f"p{i + 1}") for i in range(60)]
    grand = [(f"p{i}", "grandparent", f"p{i + 2}") for i in range(59)]
    test = grand[::4]
    data = dataset_with_splits("people", {"train": [*parents, *(g for g in grand if g not in test)], "test": test})
    found = judge_new_facts(r5.ChainReasoner(seed=0).fit(data.train), data)
    assert {(one.completion.head, one.completion.tail) for one in found if one.right} >= {
        (h, t) for h, _, t in test[1:-1]
    }
    assert sum(one.right for one in found) > 0.8 * len(found)
