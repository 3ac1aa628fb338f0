"""Evaluation figures on answers known in advance."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import r5
from r5._util.runtime.progress import Progress
from r5.data.builder import DatasetBuilder, Row
from r5.data.one_graph import dataset_with_splits
from r5.derivations.derivation import Prediction
from r5.evaluation import Part, evaluate, true_answers
from r5.examples import Examples
from r5.rules.ruleset import Rule, RuleSet

RULES = RuleSet.of([Rule("h", ("r", "s")), Rule("g", ("h", "s")), Rule("inverse", ("r",))])


class Fixed:
    """Answers h to everything of two hops and nothing else."""

    rules_ = RuleSet.of([Rule("h", ("r", "s"))])

    def predict_many(self, examples: Examples) -> list[Prediction]:
        return [Prediction("h" if hops == 2 else None) for hops in examples.hops]


class Likes(Fixed):
    """Answers likes to everything."""

    def predict_many(self, examples: Examples) -> list[Prediction]:
        return [Prediction("likes") for _ in examples]


def test_accuracy_by_length_invalid_answers_and_recall() -> None:
    builder = DatasetBuilder("known")
    two = [("a", "r", "b"), ("b", "s", "c")]
    builder.add("test", Row(two, "a", "c", "h", "abc"))
    builder.add("test", Row(two, "a", "c", "g", "abc"))
    builder.add("test", Row([*two, ("c", "s", "d")], "a", "d", "g", "abcd"))
    builder.add("test", Row(two, "a", "c", None, "abc"))
    result = evaluate(Fixed(), builder.build().test, RULES)
    assert result.overall == Part(3, 1)
    assert result.by_length == {2: Part(2, 1), 3: Part(1, 0)}
    assert result.invalid_ratio == 1 / 3
    assert result.rule_recall == 0.5
    shown = result.to_json()
    assert list(shown) == ["accuracy", "n", "by_length", "invalid_ratio", "rule_recall", "seconds"]
    assert shown["by_length"] == {"2": {"n": 2, "accuracy": 0.5}, "3": {"n": 1, "accuracy": 0.0}}


def test_intervals_hold_the_accuracy_and_narrow_with_more_answers() -> None:
    few, many = Part(10, 9).interval, Part(1000, 900).interval
    assert few[0] < many[0] < 0.9 < many[1] < few[1]
    assert Part(0, 0).interval == (0.0, 1.0)
    assert math.isnan(Part(0, 0).accuracy)
    assert Part(5, 5).interval[1] == 1.0


def test_every_true_relation_of_a_knowledge_graph_is_right() -> None:
    rows = {
        "train": [("a", "likes", "b"), ("a", "knows", "b"), ("b", "knows", "c")],
        "valid": [("b", "likes", "c")],
        "test": [("a", "trusts", "b"), ("b", "trusts", "c"), ("c", "trusts", "a")],
    }
    data = dataset_with_splits("graph", rows)
    assert true_answers(data.test) == [{"likes", "knows", "trusts"}, {"knows", "trusts"}, {"trusts"}]
    assert true_answers(data.test, [data.valid])[1] == {"knows", "likes", "trusts"}
    model = Likes()
    assert evaluate(model, data.test).overall == Part(3, 1)
    assert evaluate(model, data.test, known=[data.valid]).overall == Part(3, 2)


def test_questions_are_asked_in_parts_and_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    data = r5.load("world", train=100, test=35)
    model = r5.GrammarReasoner(restarts=(0.5,), annealing_steps=3).fit(data.train)
    whole = r5.evaluate(model, data.test)
    monkeypatch.setattr("r5.evaluation._BATCH_SIZE", 10)
    told: list[Progress] = []
    parts = r5.evaluate(model, data.test, progress=told.append)
    assert replace(parts, seconds=0.0) == replace(whole, seconds=0.0)
    assert [(progress.done, progress.total) for progress in told] == [(10, 35), (20, 35), (30, 35), (35, 35)]
