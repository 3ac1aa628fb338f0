"""Derivations replayed step by step, and how predictions read."""

from __future__ import annotations

from r5.derivation import Derivation, Fact, Merge, Prediction
from r5.relations import DUMMY

PATH = [Fact("a", "r", "b"), Fact("b", "s", "c"), Fact("c", "t", "d")]


def test_merges_apply_to_the_path_as_it_then_is() -> None:
    derivation = Derivation.replay(PATH, [Merge(1, "u", 0.5), Merge(0, "v")])
    first, last = derivation.steps
    assert first.result == Fact("b", "u", "d")
    assert first.score == 0.5
    assert (last.left, last.right, last.result) == (PATH[0], Fact("b", "u", "d"), Fact("a", "v", "d"))
    assert derivation.doubts == ()


def test_doubted_facts_are_named_and_the_steps_use_what_is_believed() -> None:
    believed = [PATH[0], Fact("b", "x", "c"), PATH[2]]
    derivation = Derivation.replay(PATH, [Merge(0, "v"), Merge(0, "w")], believed)
    assert derivation.doubts == ((PATH[1], believed[1]),)
    assert derivation.steps[0].right.relation == "x"
    assert str(derivation).startswith("(observed b -s-> c, taken to be x)")
    shown = Prediction("w", derivation=derivation).to_json()
    assert shown["doubts"] == [{"observed": ["b", "s", "c"], "believed": "x"}]
    assert shown["derivation"][-1]["result"] == ["a", "w", "d"]


def test_a_unary_rule_reads_without_the_dummy() -> None:
    path = [Fact("a", "husband", "b"), Fact("b", DUMMY, "b")]
    assert str(Derivation.replay(path, [Merge(0, "spouse")])) == "a -spouse-> b  because  a -husband-> b"


def test_predictions_read_as_an_answer_or_a_reason() -> None:
    assert str(Prediction("aunt", probability=0.93456)) == "aunt (0.935)"
    assert str(Prediction("aunt", score=2.0)) == "aunt"
    assert str(Prediction(None, reason="no path")) == "cannot say: no path"
